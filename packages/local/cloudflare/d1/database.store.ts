import * as z from "zod"

import { ApiError } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import type { State } from "../state/state.ts"

export const ReplicationMode = z.enum(["auto", "disabled"])

const Database = z.object({
  id: z.string(),
  name: z.string(),
  created_at: z.string(),
  jurisdiction: z.string().nullable(),
  /** Never shown by Cloudflare. */
  primary_location_hint: z.string().nullable(),
  read_replication: ReplicationMode,
})
export type Database = z.infer<typeof Database>

export function listDatabases(state: State): Database[] {
  return state.list(Database, "SELECT * FROM database ORDER BY rowid")
}

export function findDatabase(state: State, idOrName: string): Database | undefined {
  return state.find(Database, "SELECT * FROM database WHERE id = ?1 OR name = ?1", idOrName)
}

export function requireDatabase(state: State, idOrName: string): Database {
  const database = findDatabase(state, idOrName)
  if (database !== undefined) return database
  throw new ApiError(404, code.noDatabase, `The database ${idOrName} could not be found`)
}

export function insertDatabase(state: State, database: Database) {
  state.insert("database", database)
}

export function setReadReplication(state: State, id: string, mode: string) {
  state.run("UPDATE database SET read_replication = ? WHERE id = ?", mode, id)
}

export function deleteDatabase(state: State, id: string) {
  state.run("DELETE FROM database WHERE id = ?", id)
}
