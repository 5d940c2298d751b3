import type { Migration } from "../migration-files.ts"
import { placeOf } from "../statement-place.ts"
import type { Loss } from "./losses.ts"
import { advance, rehearse } from "./rehearsal.ts"
import { isSameName } from "./schema.ts"
import type { ScratchDatabase } from "./scratch-database.ts"

/**
 * Why pending files must not run: one message for each, empty when they may. `before` is the schema
 * that they find, and afterwards the one that they leave.
 */
export function findRefusals(before: ScratchDatabase, pending: Migration[]): string[] {
  const refusals: string[] = []
  for (const file of pending) {
    const message = findRefusal(before, file)
    if (message !== undefined) refusals.push(message)
    // What comes after a file that cannot run is judged when that one can.
    if (advance(before, file) !== undefined) break
  }
  return refusals
}

/** Why one pending file must not run on the schema that it finds, which is not changed. */
export function findRefusal(before: ScratchDatabase, file: Migration): string | undefined {
  const { losses, blocked } = rehearse(before, file)
  if (blocked !== undefined) {
    const { statement, table } = blocked
    return (
      `${placeOf(file, statement)} fails as soon as rows refer to ${table}: ` +
      `FOREIGN KEY constraint failed. ${ignored} ${remedy}`
    )
  }
  if (losses.length === 0) return undefined
  const byStatement = Map.groupBy(losses, ({ statement }) => statement)
  const places = [...byStatement].map(
    ([statement, lost]) => `${placeOf(file, statement)}: ${lost.map(describe).join("; ")}`,
  )
  return `${places.join(". ")}. ${ignored} ${remedy}`
}

const ignored =
  "D1 enforces foreign keys in every migration: PRAGMA foreign_keys is ignored, and " +
  "PRAGMA defer_foreign_keys defers checks, not ON DELETE."

const remedy =
  'Rebuild the table as docs/migrations.md shows under "Rebuild a table that others refer to"; ' +
  "rows that shall go are deleted in words first (DELETE FROM)."

function describe({ table, columns, keys, cause }: Loss): string {
  if (columns !== undefined) {
    return `${columns.map((name) => `${table}.${name}`).join(", ")} is emptied (${actionsOf(keys)})`
  }
  const direct = keys.filter(({ parent }) => isSameName(parent, cause))
  return `rows of ${table} are deleted (${actionsOf(direct.length > 0 ? direct : keys)})`
}

function actionsOf(keys: Loss["keys"]): string {
  return keys
    .map(
      ({ columns, parent, onDelete }) => `${columns.join(", ")} → ${parent} ON DELETE ${onDelete}`,
    )
    .join(", ")
}
