import { createHash } from "node:crypto"

import type { SQL } from "drizzle-orm"
import type { BatchItem } from "drizzle-orm/batch"

import type { Configuration } from "../configuration/configuration.ts"
import type { Database } from "../database/database.ts"

type Leaving = {
  database: Database
  userId: string
  /** Of the account, for what is kept of it: the audit log names the id in clear for two years. */
  hash: string
  when: SQL
}

/** Rows that expire, as a condition on `?1`, the first of the values. */
export type Expired = { table: string; where: string; values: unknown[] }

/** What becomes of a noun's rows when their account is deleted, and when they expire. */
export type Records = {
  /** Statements for the batch that deletes an account, before it does. */
  leave?: (leaving: Leaving) => Record<string, BatchItem<"sqlite">>
  /** What is left to do then, which nothing waits for; with what the statements returned, by name. */
  finish?: (results: Record<string, unknown>, configuration: Configuration) => Promise<unknown>
  /** Whose the row with the id is, for admins who find a member by it: null if there is none. */
  ownerOf?: (id: string) => SQL
  expired?: (now: number) => Record<string, Expired>
}

export function accountHash(userId: string) {
  return createHash("sha256").update(userId).digest("hex")
}
