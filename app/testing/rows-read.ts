type Figure = "rows_read" | "rows_written"

/** Counts the rows that D1 says it has read, or written, which it bills. */
export function createRowCounter(database: D1Database, figure: Figure = "rows_read") {
  const state = { read: 0 }
  const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>()
  const count = <Answer extends { meta: { [Name in Figure]?: number } }>(answer: Answer) => {
    state.read += answer.meta[figure] ?? 0
    return answer
  }

  const wrap = (sql: string, original: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = new Proxy(original, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== "function") return value
        if (name === "bind") return (...values: unknown[]) => wrap(sql, target.bind(...values))
        return async (...values: unknown[]) => {
          // Their answers lack the figure: what reads is asked twice, and what writes names each column once.
          if (name === "raw" && !/^\s*select\b/i.test(sql)) {
            const { results } = count(await target.all<object>())
            return results.map((row) => Object.values(row))
          }
          if (name === "raw" || name === "first") count(await target.all())
          const answer = await Reflect.apply(value, target, values)
          return name === "raw" || name === "first" ? answer : count(answer)
        }
      },
    })
    originals.set(wrapped, original)
    return wrapped
  }

  const counting = new Proxy(database, {
    get: (target, name) => {
      if (name === "prepare") return (sql: string) => wrap(sql, target.prepare(sql))
      if (name !== "batch") return Reflect.get(target, name)
      return async (statements: D1PreparedStatement[]) => {
        const answers = await target.batch(
          statements.map((statement) => originals.get(statement) ?? statement),
        )
        return answers.map(count)
      }
    },
  })

  return {
    database: counting,
    /** Runs an action and returns how many rows its statements have read, or written. */
    during: async (action: () => Promise<unknown>) => {
      const before = state.read
      await action()
      return state.read - before
    },
  }
}
