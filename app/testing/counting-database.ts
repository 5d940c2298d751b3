type Statement = { sql: string; bound: D1PreparedStatement }

export type Send = () => Promise<unknown>

/**
 * A database whose round trips go through a function, which may send them or not, and answer what it
 * likes. A batch is one round trip.
 */
export function createInterceptedDatabase(
  database: D1Database,
  intercept: (sql: string, send: Send) => Promise<unknown>,
): D1Database {
  const originals = new WeakMap<D1PreparedStatement, Statement>()

  const wrap = (sql: string, bound: D1PreparedStatement): D1PreparedStatement => {
    const statement = new Proxy(bound, {
      get: (target, name) => {
        if (name === "bind") {
          return (...values: unknown[]) => wrap(sql, target.bind(...values))
        }
        if (name !== "all" && name !== "run" && name !== "raw" && name !== "first") {
          return Reflect.get(target, name)
        }
        return (...values: unknown[]) =>
          intercept(sql, async () => Reflect.apply(Reflect.get(target, name), target, values))
      },
    })
    originals.set(statement, { sql, bound })
    return statement
  }

  return new Proxy(database, {
    get: (target, name) => {
      if (name === "prepare") return (sql: string) => wrap(sql, target.prepare(sql))
      if (name !== "batch") return Reflect.get(target, name)
      return (statements: D1PreparedStatement[]) => {
        const parts = statements.map((statement) => {
          const part = originals.get(statement)
          if (part === undefined) throw new Error("the statement was prepared by another database")
          return part
        })
        const text = parts.map(({ sql }) => sql).join(";\n")
        return intercept(text, () => target.batch(parts.map(({ bound }) => bound)))
      }
    },
  })
}

/**
 * Records the statements sent to a database. A batch is one round trip, and so one entry.
 * @param beforeSending runs before each of them
 */
export function createCountingDatabase(
  database: D1Database,
  beforeSending: (sql: string) => Promise<unknown> = () => Promise.resolve(),
) {
  const statements: string[] = []
  const counting = createInterceptedDatabase(database, async (sql, send) => {
    statements.push(sql)
    await beforeSending(sql)
    return send()
  })
  return {
    database: counting,
    /** Runs an action and returns the statements that it sent. */
    during: async (action: () => Promise<unknown>) => {
      const before = statements.length
      await action()
      return statements.slice(before)
    },
  }
}
