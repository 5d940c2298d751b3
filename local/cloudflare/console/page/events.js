import { SignedOut, ask } from "./session.js"

/**
 * @typedef {{
 *   time: string, event: string, method?: string, host?: string, path?: string, status?: number,
 *   ms?: number, script?: string | null, versionId?: string | null, message?: string,
 *   userAgent?: string, versions?: { version_id: string, percentage: number }[],
 *   deploymentId?: string, rule?: string, action?: string, surface?: string,
 * } & { [key: string]: unknown }} Entry
 * @typedef {"connecting" | "live" | "lost"} Connection
 */

/** As many as the local Cloudflare remembers of requests. */
const kept = 1000
const patience = 1500

/**
 * What the local Cloudflare tells of itself: what was, then what is. After a gap all is read anew.
 * @param {{ onConnection: (state: Connection) => void, onSignedOut: (reason: string) => void }} options
 */
export function followEvents({ onConnection, onSignedOut }) {
  /** @type {Entry[]} */
  let entries = []
  /** @type {Set<(entry: Entry | undefined) => void>} */
  const listeners = new Set()
  const stop = new AbortController()

  /** @param {Entry | undefined} entry */
  const tell = (entry) => listeners.forEach((listener) => listener(entry))

  async function connect() {
    onConnection("connecting")
    const response = await ask(`/local/events?past=${kept}`, stop.signal)
    if (!response.ok || response.body === null) throw new Error(String(response.status))
    onConnection("live")
    entries = []
    tell(undefined)
    let event = ""
    for await (const line of lines(response.body)) {
      if (line.startsWith("event:")) event = line.slice("event:".length).trim()
      if (!line.startsWith("data:")) continue
      const entry = { ...JSON.parse(line.slice("data:".length)), event }
      entries.push(entry)
      if (entries.length > kept) entries.shift()
      tell(entry)
    }
  }

  async function keepConnected() {
    while (!stop.signal.aborted) {
      try {
        await connect()
      } catch (error) {
        if (error instanceof SignedOut) return onSignedOut(error.message)
      }
      if (stop.signal.aborted) return
      onConnection("lost")
      await new Promise((resolve) => setTimeout(resolve, patience))
    }
  }

  void keepConnected()
  return {
    entries: () => entries,
    /** The listener gets each new entry, and nothing when all has to be drawn anew. @param {(entry: Entry | undefined) => void} listener */
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    stop: () => stop.abort(),
  }
}

/** @typedef {ReturnType<typeof followEvents>} Events */

/** @param {ReadableStream<Uint8Array<ArrayBuffer>>} stream */
async function* lines(stream) {
  let rest = ""
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    const parts = (rest + value).split("\n")
    rest = parts.pop() ?? ""
    yield* parts
  }
}
