import { drizzle, type DrizzleD1Database } from "drizzle-orm/d1"

/** Nothing here asks for relations; the authentication library does, untyped. */
export type Database = DrizzleD1Database<Record<string, unknown>>

/** @param schema With the relations that the authentication library joins. */
export function createDatabase(binding: D1Database, schema: Record<string, unknown>): Database {
  return drizzle(binding, { schema })
}
