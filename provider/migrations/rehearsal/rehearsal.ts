import { messageOf } from "../../../failure.ts"
import type { Migration } from "../migration-files.ts"
import { followTables } from "./live-tables.ts"
import { lossesOf, recordDisturbance, type Disturbance, type Loss } from "./losses.ts"
import type { ScratchDatabase } from "./scratch-database.ts"
import { seedRows } from "./seed-rows.ts"

export type Rehearsal = {
  /** What foreign keys would take from tables that the file does not mean. */
  losses: Loss[]
  /** Rows that refer to a dropped table keep the file from being applied at all. */
  blocked: { statement: number; table: string } | undefined
}

/**
 * Runs a pending file on a copy of the schema in which every table has a row, as D1 runs it: in one
 * transaction, in which `PRAGMA foreign_keys` does nothing.
 */
export function rehearse(before: ScratchDatabase, file: Migration): Rehearsal {
  using database = before.copy()
  seedRows(database)
  database.exec("BEGIN")
  const tables = followTables(database)
  const disturbances: Disturbance[] = []
  const dropped: Rehearsal["blocked"][] = []
  for (const [index, { sql }] of file.statements.entries()) {
    const number = index + 1
    try {
      const { effect, run } = database.prepare(sql)
      const [table] = effect.drops
      if (table !== undefined) dropped.push({ statement: number, table })
      const record = recordDisturbance({ database, tables, effect, statement: number })
      run()
      disturbances.push(...record())
      if (effect.changesSchema) tables.look()
    } catch (error) {
      const drop = dropped.find((one) => one?.statement === number)
      if (drop !== undefined && isForeignKeyError(error)) return { losses: [], blocked: drop }
      // A statement that fails on made-up rows, or at all, is for the database to judge.
    }
  }
  const losses = lossesOf({ database, tables, disturbances })
  return {
    losses,
    blocked: losses.length > 0 || isCommitted(database) ? undefined : dropped.at(-1),
  }
}

/** False when rows refer to nothing at the end, which D1 rejects, too. */
function isCommitted(database: ScratchDatabase): boolean {
  try {
    database.exec("COMMIT")
    return true
  } catch (error) {
    if (isForeignKeyError(error)) return false
    throw error
  }
}

function isForeignKeyError(error: unknown): boolean {
  return messageOf(error) === "FOREIGN KEY constraint failed"
}

/** Applies a file to the schema, for the files after it. Undefined when every statement passes. */
export function advance(
  database: ScratchDatabase,
  file: Migration,
): { statement: number; message: string } | undefined {
  database.exec("BEGIN")
  for (const [index, { sql }] of file.statements.entries()) {
    try {
      database.prepare(sql).run()
    } catch (error) {
      database.exec("ROLLBACK")
      return { statement: index + 1, message: messageOf(error) }
    }
  }
  try {
    database.exec("COMMIT")
    return undefined
  } catch (error) {
    database.exec("ROLLBACK")
    return { statement: file.statements.length, message: messageOf(error) }
  }
}
