import { AsyncLocalStorage } from "node:async_hooks"
import { setTimeout as sleep } from "node:timers/promises"

import { waitUntil } from "cloudflare:workers"

import { log, reasonOf } from "../http/log.ts"

/**
 * Time limits for D1, in milliseconds. It answers in about 10 ms, and in under a second if it has to start;
 * when it stalls, a query takes 2 to 25 s (https://github.com/buildinternet/uploads/issues/808). A request
 * ends while its reader is still waiting. Work after the response has as long as D1 gives a statement
 * (https://developers.cloudflare.com/d1/platform/limits/). If an earlier answer can be used instead, a
 * request waits only as long as a database needs to start.
 */
const limits = { question: 5000, request: 10_000, spare: 1000, background: 30_000 }

/** Milliseconds from which a question that was answered is told as slow. */
export const slowQuestion = 1000

/**
 * The errors after which D1 advises to retry; what only reads is tried again. After the others, an overloaded
 * database's too, it advises to send less (https://developers.cloudflare.com/d1/observability/debug-d1/).
 * No write is tried again: each of these may come after it took effect.
 */
const transient =
  /Network connection lost|storage caused object to be reset|reset because its code was updated|transient issue on remote node|client disconnected/

/** Pauses before the further tries, in milliseconds; up to half as much again, so that tries do not meet. */
const pauses = [50, 200]

/** A request, as the database knows it. */
type Request = {
  hasFailed: boolean
  /** When the database has had its time; `undefined` once the request is answered. */
  end: number | undefined
}

const requests = new AsyncLocalStorage<Request>()

/** Runs an action as no request's, which would answer 503 for a question that its answer does not depend on. */
export const ofNoRequest = AsyncLocalStorage.snapshot()

/** Work after the response; tests wait for it. */
export const late = new Set<Promise<unknown>>()

/** Does what no answer depends on, nor waits for. Why it failed is in the log. */
export function afterAnswer(action: () => Promise<unknown>) {
  const done = ofNoRequest(action)
    .catch(() => {})
    .finally(() => late.delete(done))
  late.add(done)
  waitUntil(done)
}

/** Returns whether the database has failed during the action, whatever became of the failure. */
export async function failsDuring(action: () => Promise<unknown>) {
  const done = await run(limits.request, async () => {
    await action()
    return true
  })
  return done === undefined
}

/**
 * Returns the result of the action, or undefined if the database fails or is slow, which the request
 * survives.
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

/** Milliseconds that the next question may take. */
function timeLeft() {
  const end = requests.getStore()?.end
  return end === undefined ? limits.background : Math.min(limits.question, end - Date.now())
}

/** @throws when the time is over; D1 may still do what it was asked */
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

/** Every question to the database, and what becomes of one that it does not answer. */
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

/** Work after the response delays no request. */
function noteSlowness(ms: number) {
  if (ms < slowQuestion || requests.getStore()?.end === undefined) return
  log("warn", "database.slow", { ms })
}

/** Counts an error for the request that runs, unless the schema's rules refuse a row, as they should. */
function noteFailure(error: unknown) {
  if (error instanceof Error && error.message.includes("SQLITE_CONSTRAINT")) return
  // The binding quotes a whole page where one came in place of D1's answer.
  log("error", "database.failed", { reason: reasonOf(error).slice(0, 300) })
  const request = requests.getStore()
  if (request !== undefined) request.hasFailed = true
}

/**
 * Returns a database that answers in time or fails, and adds its failures to the request that made the query.
 */
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
