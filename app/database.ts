import { drizzle } from "drizzle-orm/d1"

import * as authTables from "./auth/auth.table.ts"

export const schema = { ...authTables }

export type Database = ReturnType<typeof createDatabase>

export const createDatabase = (binding: D1Database) => drizzle(binding, { schema })
