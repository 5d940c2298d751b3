import { drizzle } from "drizzle-orm/d1"

import { schema } from "../../schema.ts"

export type Database = ReturnType<typeof createDatabase>

export function createDatabase(binding: D1Database) {
  return drizzle(binding, { schema })
}
