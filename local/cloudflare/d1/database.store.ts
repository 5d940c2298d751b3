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
  return state.all("SELECT * FROM database ORDER BY rowid").map((row) => Database.parse(row))
}

export function findDatabase(state: State, idOrName: string): Database | undefined {
  const row = state.get("SELECT * FROM database WHERE id = ?1 OR name = ?1", idOrName)
  return row && Database.parse(row)
}

export function requireDatabase(state: State, idOrName: string): Database {
  const database = findDatabase(state, idOrName)
  if (database !== undefined) return database
  throw new ApiError(404, code.noDatabase, `The database ${idOrName} could not be found`)
}

export function insertDatabase(state: State, database: Database) {
  state.run(
    `INSERT INTO database (id, name, created_at, jurisdiction, primary_location_hint, read_replication)
     VALUES (?, ?, ?, ?, ?, ?)`,
    database.id,
    database.name,
    database.created_at,
    database.jurisdiction,
    database.primary_location_hint,
    database.read_replication,
  )
}

export function setReadReplication(state: State, id: string, mode: string) {
  state.run("UPDATE database SET read_replication = ? WHERE id = ?", mode, id)
}

export function deleteDatabase(state: State, id: string) {
  state.run("DELETE FROM database WHERE id = ?", id)
}
