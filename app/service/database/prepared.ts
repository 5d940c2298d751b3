import type { Database } from "./database.ts"

/**
 * A statement that is built once per database, with placeholders for what differs between requests:
 * building one takes a Worker longer than sending it.
 */
export function preparedOnce<Statement>(build: (database: Database) => Statement) {
  const built = new WeakMap<Database, Statement>()
  return (database: Database) => {
    const known = built.get(database)
    if (known !== undefined) return known
    const statement = build(database)
    built.set(database, statement)
    return statement
  }
}
