import { AsyncLocalStorage } from "node:async_hooks"
import { setTimeout as sleep } from "node:timers/promises"

import { waitUntil } from "cloudflare:workers"

import { log, reasonOf } from "../http/log.ts"

/**
 * Time limits for D1, in milliseconds. D1 answers in about 10 ms, or in under a second if it must start. When it
 * stalls, a query takes 2 to 25 s (https://github.com/buildinternet/uploads/issues/808). `request` ends while its
 * client is still waiting. `background` equals D1's limit for a statement
 * (https://developers.cloudflare.com/d1/platform/limits/). `spare` applies if the request can do without the result:
 * it is the time a database needs to start.
 */
const limits = { question: 5000, request: 10_000, spare: 1000, background: 30_000 }

/** Milliseconds from which an answered query is logged as slow. */
export const slowQuestion = 1000

/**
 * Errors after which D1 advises a retry; only reads are retried. For other errors, such as overload, it advises fewer
 * queries (https://developers.cloudflare.com/d1/observability/debug-d1/). Writes are never retried, because each error
 * may arrive after the write took effect.
 */
const transient =
  /Network connection lost|storage caused object to be reset|reset because its code was updated|transient issue on remote node|client disconnected/

/** Milliseconds before each retry. Up to half is added at random, so that concurrent retries spread out. */
const pauses = [50, 200]

/** State of a request. */
type Request = {
  hasFailed: boolean
  /** Unix time (ms) at which the database's time is up; undefined after the response. */
  end: number | undefined
}

const requests = new AsyncLocalStorage<Request>()

/** Runs an action outside the request, which would otherwise answer 503 for a query that it does not depend on. */
export const ofNoRequest = AsyncLocalStorage.snapshot()

/** Work after the response; tests wait for it. */
export const late = new Set<Promise<unknown>>()

/** Runs an action that no response depends on or waits for. The log contains the reason of a failure. */
export function afterAnswer(action: () => Promise<unknown>) {
  const done = ofNoRequest(action)
    .catch(() => {})
    .finally(() => late.delete(done))
  late.add(done)
  waitUntil(done)
}

/** Returns whether the database failed during the action, even if the action handled the failure. */
export async function failsDuring(action: () => Promise<unknown>) {
  const done = await run(limits.request, async () => {
    await action()
    return true
  })
  return done === undefined
}

/**
 * Returns the action's result, or undefined if the database fails or is slow. The request continues in either case.
 */
export function unlessItFails<Result>(action: () => Promise<Result>) {
  return run(limits.spare, action)
}

async function run<Result>(milliseconds: number, action: () => Promise<Result>) {
  const end = Math.min(Date.now() + milliseconds, requests.getStore()?.end ?? Infinity)
  const request: Request = { hasFailed: false, end }
  try {
    const result = await requests.run(request, action)
    return request.hasFailed ? undefined : result
  } catch (error) {
    if (!request.hasFailed) throw error
    return undefined
  } finally {
    request.end = undefined
  }
}

/** Milliseconds that the next query may take. */
function timeLeft() {
  const end = requests.getStore()?.end
  return end === undefined ? limits.background : Math.min(limits.question, end - Date.now())
}

/** @throws Error if the time is over; D1 may still run the query */
async function within<Result>(milliseconds: number, question: () => Promise<Result>) {
  if (milliseconds <= 0) throw new Error("no answers within the time of the request")
  let timer: ReturnType<typeof setTimeout> | undefined
  const limit = new Promise<never>((_resolve, reject) => {
    const giveUp = () => reject(new Error(`no answer within ${milliseconds} ms`))
    timer = setTimeout(giveUp, milliseconds)
  })
  try {
    return await Promise.race([question(), limit])
  } finally {
    clearTimeout(timer)
  }
}

/** Runs a query within its time limit. Retries reads after transient errors, and records failures. */
async function ask(sql: string[], question: () => Promise<unknown>) {
  const onlyReads = sql.every((text) => /^\s*select\b/i.test(text))
  const remaining = onlyReads ? [...pauses] : []
  for (;;) {
    const began = Date.now()
    try {
      const result = await within(timeLeft(), question)
      noteSlowness(Date.now() - began)
      return result
    } catch (error) {
      const pause = remaining.shift()
      if (pause === undefined || !transient.test(reasonOf(error))) {
        noteFailure(error)
        throw error
      }
      await sleep(pause * (1 + Math.random() / 2))
    }
  }
}

/** Logs a slow query, except after the response, because that delays no request. */
function noteSlowness(ms: number) {
  if (ms < slowQuestion || requests.getStore()?.end === undefined) return
  log("warn", "database.slow", { ms })
}

/** Records an error for the current request, unless a constraint has rejected a row as intended. */
function noteFailure(error: unknown) {
  if (error instanceof Error && error.message.includes("SQLITE_CONSTRAINT")) return
  // If D1 answers with an HTML page, the binding quotes all of it.
  log("error", "database.failed", { reason: reasonOf(error).slice(0, 300) })
  const request = requests.getStore()
  if (request !== undefined) request.hasFailed = true
}

/** Returns a database whose queries answer in time or fail. Failures are recorded for the request of the query. */
export function boundDatabase(binding: D1Database): D1Database {
  const originals = new WeakMap<
    D1PreparedStatement,
    { sql: string; original: D1PreparedStatement }
  >()

  const wrap = (sql: string, original: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = new Proxy(original, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== "function") return value
        if (name === "bind") return (...values: unknown[]) => wrap(sql, target.bind(...values))
        return (...values: unknown[]) =>
          ask([sql], async () => Reflect.apply(value, target, values))
      },
    })
    originals.set(wrapped, { sql, original })
    return wrapped
  }

  return new Proxy(binding, {
    get: (target, name) => {
      if (name === "prepare") {
        return (sql: string) => wrap(sql, target.prepare(sql))
      }
      if (name !== "batch") return Reflect.get(target, name)
      return (statements: D1PreparedStatement[]) => {
        const parts = statements.map(
          (statement) => originals.get(statement) ?? { sql: "", original: statement },
        )
        const originalStatements = parts.map(({ original }) => original)
        return ask(
          parts.map(({ sql }) => sql),
          () => target.batch(originalStatements),
        )
      }
    },
  })
}
