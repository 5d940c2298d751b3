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
  /** In the path of the WebSocket: who knows it may listen. */
  key: string
  expiresAt: Date
}

/** Who listens to which Worker. In memory: a listener that loses its connection asks anew. */
export type Tails = {
  open(script: string, filters: Tail["filters"]): Tail
  /** The script's, the newest first. */
  list(script: string): Tail[]
  /** @returns whether there was such a tail */
  remove(script: string, id: string): boolean
  /** Takes a connection that wants to be a WebSocket. */
  accept: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  deliver: (traces: Traces) => void
  close(): void
}

type Entry = { tail: Tail; isConnected: boolean; socket: TailSocket | undefined }

/** Milliseconds, Cloudflare's. */
const lifetime = 6 * 60 * 60 * 1000

export function createTails({ follow }: { follow: (scripts: string[]) => Promise<void> }): Tails {
  const entries = new Map<string, Entry>()
  /** Ended by their listeners, who delete them after that. Script by id. */
  const left = new Map<string, string>()

  function followListeners() {
    const connected = [...entries.values()].filter(({ isConnected }) => isConnected)
    return follow(connected.map(({ tail }) => tail.script))
  }

  function drop(key: string) {
    const entry = entries.get(key)
    entries.delete(key)
    entry?.socket?.close()
    void followListeners()
  }

  /** Says that it is open only when nothing that happens from then on is missed. */
  async function connect(entry: Entry, request: IncomingMessage, socket: Duplex, head: Buffer) {
    const { key } = entry.tail
    entry.isConnected = true
    await followListeners()
    if (socket.destroyed) return drop(key)
    const { id, script } = entry.tail
    const onClose = () => {
      if (entries.has(key)) left.set(id, script)
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
      if (left.get(id) === script) return left.delete(id)
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
