import { createHmac, randomUUID } from "node:crypto"
import { request } from "node:http"

import * as z from "zod"

import type { State } from "../../state/state.ts"

/** Faults that tests inject. Every event still arrives eventually. */
export const Faults = z.strictObject({
  /** The API answers every request with 500. */
  down: z.boolean().default(false),
  /** How often an event is sent again after its delivery. */
  repeat: z.int().min(0).max(20).default(0),
  /** Milliseconds before the first attempt. */
  delay: z.int().min(0).max(60_000).default(0),
  /** How many first attempts are lost; decremented with each. */
  lose: z.int().min(0).max(100).default(0),
  /** Holds events until there are this many, then sends them newest first; 0 holds none. */
  reverse: z.int().min(0).max(20).default(0),
})
export type Faults = z.infer<typeof Faults>

export type Target = { url: string; secret: string }

export type Webhooks = ReturnType<typeof openWebhooks>

/** Events kept; older ones are deleted. */
const capacity = 1000
/** Milliseconds before the second attempt; doubles with each attempt up to `maxPause`. */
const firstPause = 500
const maxPause = 60_000
const maxAttempts = 20
/** Milliseconds. */
const timeout = 10_000

type Event = { id: string; body: string; attempts: number }

const Row = z.object({ id: z.string(), body: z.string(), attempts: z.number() })
const Listed = z.object({
  id: z.string(),
  type: z.string(),
  attempts: z.number(),
  /** `taken`, or why the last attempt failed; null before the first. */
  outcome: z.string().nullable(),
})

/** Signs events, and sends each until the service accepts it, even across restarts. */
export function openWebhooks(state: State, target: () => Target | undefined) {
  const closed = new AbortController()
  const timers = new Set<NodeJS.Timeout>()
  let faults = Faults.parse({})
  let heldEvents: Event[] = []

  function after(milliseconds: number, act: () => void) {
    const timer = setTimeout(() => {
      timers.delete(timer)
      act()
    }, milliseconds)
    timers.add(timer)
  }

  async function attempt(event: Event): Promise<void> {
    const outcome = await deliver(event)
    if (closed.signal.aborted) return
    const attempts = event.attempts + 1
    state.run(
      "UPDATE event SET attempts = ?, outcome = ? WHERE id = ?",
      attempts,
      outcome,
      event.id,
    )
    const next = { ...event, attempts }
    if (outcome === "taken") {
      // Repeats use the same id, like a sender that has missed the response.
      for (let time = 1; time <= faults.repeat; time += 1) {
        after(time * 20, () => void deliver(next))
      }
      return
    }
    if (attempts >= maxAttempts) return
    after(Math.min(firstPause * 2 ** event.attempts, maxPause), () => void attempt(next))
  }

  async function deliver({ body, attempts }: Event): Promise<string> {
    if (attempts === 0 && faults.lose > 0) {
      faults = { ...faults, lose: faults.lose - 1 }
      return "lost"
    }
    const service = target()
    if (service === undefined) return "the service has not been deployed yet: no keys"
    try {
      const signal = AbortSignal.any([closed.signal, AbortSignal.timeout(timeout)])
      const status = await post(service, body, signal)
      return status >= 200 && status < 300 ? "taken" : String(status)
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  function begin(event: Event) {
    if (faults.reverse === 0) return after(faults.delay, () => void attempt(event))
    heldEvents.push(event)
    if (heldEvents.length < faults.reverse) return
    const released = heldEvents.toReversed()
    heldEvents = []
    // Send sequentially: parallel requests could arrive in any order.
    after(faults.delay, () => void inOrder(released))
  }

  async function inOrder(events: Event[]): Promise<void> {
    for (const event of events) await attempt(event)
  }

  for (const event of state.list(
    Row,
    "SELECT id, body, attempts FROM event WHERE outcome IS NOT 'taken' AND attempts < ? ORDER BY number",
    maxAttempts,
  )) {
    begin(event)
  }

  return {
    send(type: string, object: object) {
      const id = `evt_${randomUUID().replaceAll("-", "")}`
      const created = Math.floor(Date.now() / 1000)
      const body = JSON.stringify({ id, object: "event", type, created, data: { object } })
      state.run("DELETE FROM event WHERE number <= (SELECT max(number) FROM event) - ?", capacity)
      state.insert("event", { id, type, body })
      begin({ id, body, attempts: 0 })
    },
    faults: () => faults,
    inject(newFaults: Faults) {
      faults = newFaults
      const waiting = heldEvents
      heldEvents = []
      for (const event of waiting) begin(event)
    },
    /** Lists the deliveries, newest first. */
    deliveries: () =>
      state.list(
        Listed,
        "SELECT id, type, attempts, outcome FROM event ORDER BY number DESC LIMIT 100",
      ),
    close() {
      closed.abort()
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

/** Posts to 127.0.0.1 for any hostname, because not every resolver knows subdomains of `localhost`. */
function post(to: Target, body: string, signal: AbortSignal): Promise<number> {
  const { host, port, pathname } = new URL(to.url)
  const common = { host, "user-agent": "payment-sandbox", "content-type": "application/json" }
  const headers = { ...common, ...sign(body, to.secret) }
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  request({
    host: "127.0.0.1",
    port,
    path: pathname,
    method: "POST",
    headers,
    agent: false,
    signal,
  })
    .on("error", reject)
    .on("response", (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    .end(body)
  return promise
}

/** Returns Stripe's signature header: the time in seconds, and the HMAC of time and body. */
function sign(body: string, secret: string): Record<string, string> {
  const time = Math.floor(Date.now() / 1000)
  const mac = createHmac("sha256", secret).update(`${time}.${body}`).digest("hex")
  return { "stripe-signature": `t=${time},v1=${mac}` }
}
