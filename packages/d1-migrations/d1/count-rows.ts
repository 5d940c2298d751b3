import * as z from "zod"

import { quoteName } from "../schema/schema.ts"
import type { SchemaObject } from "../schema/scratch-database.ts"
import { virtualTablesOf } from "../schema/virtual-tables.ts"
import type { Database } from "./database.ts"

const Counts = z.record(z.string(), z.tuple([z.object({ rows: z.number() })]))

/** The number of rows by table, without tables that are derived from others. */
export async function countRows(
  database: Database,
  objects: SchemaObject[],
): Promise<Map<string, number>> {
  const derivedTables = new Set(
    virtualTablesOf(objects).flatMap(({ name, keeps, own }) =>
      own.concat(keeps === "none" ? name : []),
    ),
  )
  const names = objects
    .filter(({ type, name }) => type === "table" && !derivedTables.has(name))
    .map(({ name }) => name)
  if (names.length === 0) return new Map()
  const statements = names.map((name) => [name, `SELECT count(*) AS rows FROM ${quoteName(name)}`])
  const counts = Counts.parse(await database.askAll(Object.fromEntries(statements)))
  return new Map(Object.entries(counts).map(([name, [{ rows }]]) => [name, rows]))
}
