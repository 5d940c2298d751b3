import { createHmac, randomUUID } from "node:crypto"

import * as z from "zod"

import type { State } from "../../cloudflare/state/state.ts"
import type { Session } from "./sessions.ts"

/** How webhooks misbehave, as the real ones do now and then. Each event is delivered in the end. */
export const Faults = z.strictObject({
  /** The API answers 500 to everything. */
  down: z.boolean().default(false),
  /** Times that an event is sent again after it was taken. */
  repeat: z.int().min(0).max(20).default(0),
  /** Milliseconds before an event is sent for the first time. */
  delay: z.int().min(0).max(60_000).default(0),
  /** First attempts that get lost on the way, counted down. */
  lose: z.int().min(0).max(100).default(0),
  /** Events that are kept back until there are so many; then the last goes first. */
  reverse: z.int().min(0).max(20).default(0),
})
export type Faults = z.infer<typeof Faults>

export type Target = { url: string; secret: string }

type Delivery = {
  id: string
  type: string
  attempts: number
  /** `taken`, or what stood in the way last. */
  outcome: string | null
}

export type Webhooks = {
  send(type: string, session: Session): void
  faults(): Faults
  misbehave(faults: Faults): void
  /** Newest first. */
  deliveries(): Delivery[]
  close(): void
}

/** Events that are kept; older ones go. */
const most = 1000
/** Milliseconds before the second attempt, doubled for each that follows, up to a minute. */
const pause = 500
const longestPause = 60_000
/** After that an event is given up. */
const mostAttempts = 20
const timeout = 10_000

type Event = { id: string; body: string; attempts: number }

const Row = z.object({ id: z.string(), body: z.string(), attempts: z.number() })
const Listed = z.object({
  id: z.string(),
  type: z.string(),
  attempts: z.number(),
  outcome: z.string().nullable(),
})

/** Signs events and sends them to the service until it takes them, across restarts too. */
export function openWebhooks(state: State, target: () => Target | undefined): Webhooks {
  const closed = new AbortController()
  const timers = new Set<NodeJS.Timeout>()
  let faults = Faults.parse({})
  let kept: Event[] = []

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
      // Sent again under the same id, as by a sender that has not heard of its success.
      for (let time = 1; time <= faults.repeat; time += 1) {
        after(time * 20, () => void deliver(next))
      }
      return
    }
    if (attempts >= mostAttempts) return
    after(Math.min(pause * 2 ** event.attempts, longestPause), () => void attempt(next))
  }

  async function deliver({ body, attempts }: Event): Promise<string> {
    if (attempts === 0 && faults.lose > 0) {
      faults = { ...faults, lose: faults.lose - 1 }
      return "lost"
    }
    const known = target()
    if (known === undefined) return "nobody has said where the service is"
    try {
      const response = await fetch(known.url, {
        method: "POST",
        headers: { "content-type": "application/json", ...sign(body, known.secret) },
        body,
        redirect: "manual",
        signal: AbortSignal.any([closed.signal, AbortSignal.timeout(timeout)]),
      })
      await response.body?.cancel()
      return response.ok ? "taken" : String(response.status)
    } catch (error) {
      return error instanceof Error && error.cause instanceof Error
        ? error.cause.message
        : String(error)
    }
  }

  function begin(event: Event) {
    if (faults.reverse === 0) return after(faults.delay, () => void attempt(event))
    kept.push(event)
    if (kept.length < faults.reverse) return
    const released = kept.toReversed()
    kept = []
    // One after the other: side by side they would arrive in any order.
    after(faults.delay, () => void inOrder(released))
  }

  async function inOrder(events: Event[]): Promise<void> {
    for (const event of events) await attempt(event)
  }

  for (const row of state.all(
    "SELECT id, body, attempts FROM event WHERE outcome IS NOT 'taken' AND attempts < ? ORDER BY number",
    mostAttempts,
  )) {
    begin(Row.parse(row))
  }

  return {
    send(type, session) {
      const id = `evt_${randomUUID().replaceAll("-", "")}`
      const created = Math.floor(Date.now() / 1000)
      const body = JSON.stringify({ id, object: "event", type, created, data: { object: session } })
      state.run("DELETE FROM event WHERE number <= (SELECT max(number) FROM event) - ?", most)
      state.run("INSERT INTO event (id, type, body) VALUES (?, ?, ?)", id, type, body)
      begin({ id, body, attempts: 0 })
    },
    faults: () => faults,
    misbehave(wanted) {
      faults = wanted
      const waiting = kept
      kept = []
      for (const event of waiting) begin(event)
    },
    deliveries: () =>
      state
        .all("SELECT id, type, attempts, outcome FROM event ORDER BY number DESC LIMIT 100")
        .map((row) => Listed.parse(row)),
    close() {
      closed.abort()
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

/** Stripe's header: the time in seconds, and the HMAC of time and body. */
function sign(body: string, secret: string): Record<string, string> {
  const time = Math.floor(Date.now() / 1000)
  const mac = createHmac("sha256", secret).update(`${time}.${body}`).digest("hex")
  return { "stripe-signature": `t=${time},v1=${mac}` }
}
