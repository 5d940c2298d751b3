import { randomBytes } from "node:crypto"
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"

import * as z from "zod"

import type { Traces } from "../plane/plane.ts"
import type { Filters } from "./tail-filter.ts"
import { Trace, passes } from "./tail-filter.ts"
import type { TailSocket } from "./tail-socket.ts"
import { openTailSocket } from "./tail-socket.ts"

export type Tail = {
  /** 32 hexadecimal digits. */
  id: string
  script: string
  filters: z.infer<typeof Filters>
  /** A secret in the path of the WebSocket, which authorizes the listener. */
  key: string
  expiresAt: Date
}

/** The tails of all Workers, in memory: a client that loses its connection creates a new one. */
export type Tails = {
  open(script: string, filters: Tail["filters"]): Tail
  /** The tails of the script, newest first. */
  list(script: string): Tail[]
  /** @returns whether the tail existed */
  remove(script: string, id: string): boolean
  /** Handles an HTTP upgrade to a WebSocket. */
  accept: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  deliver: (traces: Traces) => void
  close(): void
}

type Entry = { tail: Tail; isConnected: boolean; socket: TailSocket | undefined }

/** Cloudflare's lifetime of a tail, in milliseconds. */
const lifetime = 6 * 60 * 60 * 1000

export function createTails({
  followTraces,
}: {
  followTraces: (scripts: string[]) => Promise<void>
}): Tails {
  const entries = new Map<string, Entry>()
  /** Script by id of tails whose client disconnected; clients delete a tail after that. */
  const disconnected = new Map<string, string>()

  function followConnected() {
    const connected = [...entries.values()].filter(({ isConnected }) => isConnected)
    return followTraces(connected.map(({ tail }) => tail.script))
  }

  function drop(key: string) {
    const entry = entries.get(key)
    entries.delete(key)
    entry?.socket?.close()
    void followConnected()
  }

  /** Opens the WebSocket only once traces arrive, so that the client misses none after that. */
  async function connect(entry: Entry, request: IncomingMessage, socket: Duplex, head: Buffer) {
    const { key } = entry.tail
    entry.isConnected = true
    await followConnected()
    if (socket.destroyed) return drop(key)
    const { id, script } = entry.tail
    const onClose = () => {
      if (entries.has(key)) disconnected.set(id, script)
      drop(key)
    }
    entry.socket = openTailSocket({ request, socket, head, onClose })
  }

  return {
    open(script, filters) {
      const key = randomBytes(32).toString("base64url")
      const id = randomBytes(16).toString("hex")
      const tail = { id, script, filters, key, expiresAt: new Date(Date.now() + lifetime) }
      entries.set(key, { tail, isConnected: false, socket: undefined })
      setTimeout(() => drop(key), lifetime).unref()
      return tail
    },
    list: (script) =>
      [...entries.values()]
        .map(({ tail }) => tail)
        .filter((tail) => tail.script === script)
        .toReversed(),
    remove(script, id) {
      if (disconnected.get(id) === script) return disconnected.delete(id)
      const found = [...entries.values()].find(({ tail }) => tail.id === id)
      if (found?.tail.script !== script) return false
      drop(found.tail.key)
      return true
    },
    accept(request, socket, head) {
      const key = /^\/tails\/([\w-]+)$/.exec(request.url ?? "")?.[1] ?? ""
      const entry = entries.get(key)
      socket.on("error", () => socket.destroy())
      if (entry !== undefined && !entry.isConnected) {
        void connect(entry, request, socket, head)
      } else {
        socket.end("HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n")
      }
    },
    deliver({ script, versionId, json }) {
      const listeners = [...entries.values()].filter(({ tail }) => tail.script === script)
      if (listeners.length === 0) return
      const scriptVersion = { id: versionId }
      for (const sent of z.array(z.looseObject({})).parse(JSON.parse(json))) {
        const trace = Trace.parse({ ...sent, scriptName: script, scriptVersion })
        for (const { tail, socket } of listeners) {
          if (passes(trace, tail.filters)) socket?.send(JSON.stringify(trace))
        }
      }
    },
    close() {
      for (const key of entries.keys()) drop(key)
    },
  }
}
