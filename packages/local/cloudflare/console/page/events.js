import { SignedOut, fetchWithSession } from "./session.js"

/**
 * @typedef {{
 *   time: string, event: string, method?: string, host?: string, path?: string, status?: number,
 *   ms?: number, script?: string | null, versionId?: string | null, message?: string,
 *   userAgent?: string, versions?: { version_id: string, percentage: number }[],
 *   deploymentId?: string, rule?: string, action?: string, surface?: string,
 * } & { [key: string]: unknown }} Entry
 * @typedef {"connecting" | "live" | "lost"} Connection
 */

/** As many requests as the local Cloudflare keeps. */
const entryLimit = 1000
const reconnectMilliseconds = 1500

/**
 * Follows the log: past entries, then new ones. After a lost connection all are read again.
 * @param {{ onConnection: (state: Connection) => void, onSignedOut: (reason: string) => void }} options
 */
export function followEvents({ onConnection, onSignedOut }) {
  /** @type {Entry[]} */
  let entries = []
  /** @type {Set<(entry: Entry | undefined) => void>} */
  const listeners = new Set()
  const stop = new AbortController()

  /** @param {Entry | undefined} entry */
  const notify = (entry) => listeners.forEach((listener) => listener(entry))

  async function connect() {
    onConnection("connecting")
    const response = await fetchWithSession(`/local/events?past=${entryLimit}`, stop.signal)
    if (!response.ok || response.body === null) throw new Error(String(response.status))
    onConnection("live")
    entries = []
    notify(undefined)
    let event = ""
    for await (const line of lines(response.body)) {
      if (line.startsWith("event:")) event = line.slice("event:".length).trim()
      if (!line.startsWith("data:")) continue
      const entry = { ...JSON.parse(line.slice("data:".length)), event }
      entries.push(entry)
      if (entries.length > entryLimit) entries.shift()
      notify(entry)
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
      await new Promise((resolve) => setTimeout(resolve, reconnectMilliseconds))
    }
  }

  void keepConnected()
  return {
    entries: () => entries,
    /**
     * Calls the listener with each new entry, and with undefined when all entries were read again.
     * @param {(entry: Entry | undefined) => void} listener
     */
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
