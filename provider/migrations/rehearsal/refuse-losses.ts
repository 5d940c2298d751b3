import { Failure } from "../../../failure.ts"
import { findObjections } from "../judgement.ts"
import type { Migration } from "../migration-files.ts"
import { ledgerTable, sidecarTable } from "../own-tables.ts"
import { advance } from "./rehearsal.ts"
import {
  openScratchDatabase,
  type ScratchDatabase,
  scratchDatabaseOf,
  type SchemaObject,
} from "./scratch-database.ts"

/**
 * Judges pending files on the schema of a live database. One without a table has no rows to lose.
 * @throws MIGRATION_REFUSED
 */
export function refuseLosses(objects: SchemaObject[], pending: Migration[]): void {
  if (!mayHaveRows(objects)) return
  using database = scratchDatabaseOf(objects)
  refuse(database, pending)
}

/** Whether there is a table beside those that record migrations. */
export function mayHaveRows(objects: SchemaObject[]): boolean {
  return objects.some(({ type, name }) => type === "table" && !ownTables.has(name))
}

const ownTables = new Set([ledgerTable, sidecarTable])

/**
 * Judges pending files on the schema that the applied ones leave, without a database.
 * @throws MIGRATION_REFUSED
 */
export function refuseLossesAfter(applied: Migration[], pending: Migration[]): void {
  using database = openScratchDatabase()
  for (const file of applied) {
    // A file that only a live database can apply leaves the judgement to `refuseLosses`.
    if (advance(database, file) !== undefined) return
  }
  refuse(database, pending)
}

function refuse(database: ScratchDatabase, pending: Migration[]): void {
  const objections = findObjections(database, pending)
  if (objections.length === 0) return
  const message = `${objections.join("\n")}\nNo pending migration was sent.`
  throw new Failure("MIGRATION_REFUSED", message)
}
