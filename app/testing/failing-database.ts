/** A database that refuses the statements which a pattern matches. */
export function createFailingDatabase(database: D1Database, refused: RegExp) {
  return new Proxy(database, {
    get: (target, name) => {
      if (name === "prepare") {
        return (sql: string) => {
          if (refused.test(sql)) throw new Error("D1_ERROR: Network connection lost.")
          return target.prepare(sql)
        }
      }
      const value: unknown = Reflect.get(target, name)
      return typeof value === "function" ? value.bind(target) : value
    },
  })
}
