import * as z from "zod"

import type { ScratchDatabase } from "../rehearsal/scratch-database.ts"

/** A trigger or a unique index that goes along with its table although the file does not say so. */
export type LostObject = { type: "trigger" | "unique index"; name: string; table: string }

const ObjectName = z.object({
  type: z.enum(["trigger", "index"]),
  name: z.string(),
  tbl_name: z.string(),
})

/** Those of the schema, without the indexes that constraints make. */
export function readObjectNames(database: ScratchDatabase): LostObject[] {
  return database
    .rows(
      `SELECT type, name, tbl_name FROM sqlite_master
       WHERE sql IS NOT NULL AND (type = 'trigger' OR (type = 'index' AND sql LIKE 'CREATE UNIQUE%'))`,
    )
    .map((row) => ObjectName.parse(row))
    .map(({ type, name, tbl_name: table }) => ({
      type: type === "index" ? "unique index" : type,
      name,
      table,
    }))
}

type End = {
  database: ScratchDatabase
  /** Before the file. */
  objects: LostObject[]
  /** Names that the file drops in words. */
  dropped: string[]
}

/** A table that is gone for good needs none of its own. */
export function findLostObjects({ database, objects, dropped }: End): LostObject[] {
  const now = new Set(readObjectNames(database).map(({ name }) => name))
  const tables = new Set(
    database
      .rows("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
      .map((row) => String(row["name"]).toLowerCase()),
  )
  return objects.filter(
    ({ name, table }) =>
      !now.has(name) && !dropped.includes(name) && tables.has(table.toLowerCase()),
  )
}
