import { AsyncLocalStorage } from "node:async_hooks"

import { log, reasonOf } from "./http/log.ts"

/** Whether the database has failed the request that runs. */
const requests = new AsyncLocalStorage<{ hasFailed: boolean }>()

/** Returns whether the database has failed during the action, whatever became of the failure. */
export async function failsDuring(action: () => Promise<unknown>) {
  const request = { hasFailed: false }
  await requests.run(request, action)
  return request.hasFailed
}

/** Every question to the database, and what becomes of one that it does not answer. */
async function ask(question: () => unknown) {
  try {
    return await question()
  } catch (error) {
    const isRefusal = error instanceof Error && error.message.includes("SQLITE_CONSTRAINT")
    // The schema's rules refuse a row as they should, and every route expects that.
    if (!isRefusal) {
      log("error", "database.failed", { reason: reasonOf(error) })
      const request = requests.getStore()
      if (request !== undefined) request.hasFailed = true
    }
    throw error
  }
}

/** A database each of whose failures counts for the request that asked. */
export function noteFailures(binding: D1Database): D1Database {
  const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>()

  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = new Proxy(statement, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== "function") return value
        if (name === "bind") return (...values: unknown[]) => wrap(target.bind(...values))
        return (...values: unknown[]) => ask(() => Reflect.apply(value, target, values))
      },
    })
    originals.set(wrapped, statement)
    return wrapped
  }

  return new Proxy(binding, {
    get: (target, name) => {
      if (name === "prepare") return (sql: string) => wrap(target.prepare(sql))
      if (name !== "batch") return Reflect.get(target, name)
      return (statements: D1PreparedStatement[]) =>
        ask(() => target.batch(statements.map((one) => originals.get(one) ?? one)))
    },
  })
}
