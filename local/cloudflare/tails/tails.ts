import { randomBytes } from "node:crypto"
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"

import * as z from "zod"

import type { Traces } from "../plane/plane.ts"
import { type Filters, passes, Trace } from "./tail-filter.ts"
import { openTailSocket, type TailSocket } from "./tail-socket.ts"

export type Tail = {
  /** 32 hexadecimal digits. */
  id: string
  script: string
  filters: z.infer<typeof Filters>
  /** A secret in the path of the WebSocket, which authorizes the listener. */
  key: string
  expiresAt: Date
}

type Entry = { tail: Tail; isConnected: boolean; socket: TailSocket | undefined }

/** Cloudflare's lifetime of a tail, in milliseconds. */
const lifetime = 6 * 60 * 60 * 1000

/** The tails of all Workers, in memory: a client that loses its connection creates a new one. */
export class Tails {
  readonly #followTraces: (scripts: string[]) => Promise<void>
  /** By key. */
  readonly #entries = new Map<string, Entry>()
  /** Script by id of tails whose client disconnected; clients delete a tail after that. */
  readonly #disconnected = new Map<string, string>()

  constructor(followTraces: (scripts: string[]) => Promise<void>) {
    this.#followTraces = followTraces
  }

  open(script: string, filters: Tail["filters"]): Tail {
    const key = randomBytes(32).toString("base64url")
    const id = randomBytes(16).toString("hex")
    const tail = { id, script, filters, key, expiresAt: new Date(Date.now() + lifetime) }
    this.#entries.set(key, { tail, isConnected: false, socket: undefined })
    setTimeout(() => this.#drop(key), lifetime).unref()
    return tail
  }

  /** The tails of the script, newest first. */
  list(script: string): Tail[] {
    return this.#of(script)
      .map(({ tail }) => tail)
      .toReversed()
  }

  /** @returns whether the tail existed */
  remove(script: string, id: string): boolean {
    if (this.#disconnected.get(id) === script) return this.#disconnected.delete(id)
    const found = this.#of(script).find(({ tail }) => tail.id === id)
    if (found) this.#drop(found.tail.key)
    return found !== undefined
  }

  /** Handles an HTTP upgrade to a WebSocket. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer) {
    const key = /^\/tails\/([\w-]+)$/.exec(request.url ?? "")?.[1] ?? ""
    const entry = this.#entries.get(key)
    socket.on("error", () => socket.destroy())
    if (entry !== undefined && !entry.isConnected) {
      void this.#connect(entry, request, socket, head)
    } else {
      socket.end("HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n")
    }
  }

  deliver({ script, versionId, json }: Traces) {
    const listeners = this.#of(script)
    if (listeners.length === 0) return
    const scriptVersion = { id: versionId }
    for (const sent of z.array(z.looseObject({})).parse(JSON.parse(json))) {
      const trace = Trace.parse({ ...sent, scriptName: script, scriptVersion })
      for (const { tail, socket } of listeners) {
        if (passes(trace, tail.filters)) socket?.send(JSON.stringify(trace))
      }
    }
  }

  close() {
    for (const key of this.#entries.keys()) this.#drop(key)
  }

  /** Opens the WebSocket only once traces arrive, so that the client misses none after that. */
  async #connect(entry: Entry, request: IncomingMessage, socket: Duplex, head: Buffer) {
    const { key, id, script } = entry.tail
    entry.isConnected = true
    await this.#followConnected()
    if (socket.destroyed) return this.#drop(key)
    const onClose = () => {
      if (this.#entries.has(key)) this.#disconnected.set(id, script)
      this.#drop(key)
    }
    entry.socket = openTailSocket({ request, socket, head, onClose })
  }

  #of(script: string): Entry[] {
    return [...this.#entries.values()].filter(({ tail }) => tail.script === script)
  }

  #drop(key: string) {
    const entry = this.#entries.get(key)
    this.#entries.delete(key)
    entry?.socket?.close()
    void this.#followConnected()
  }

  #followConnected() {
    const connected = [...this.#entries.values()].filter(({ isConnected }) => isConnected)
    return this.#followTraces(connected.map(({ tail }) => tail.script))
  }
}
