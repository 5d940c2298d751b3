import type { Database } from "@accounts-stack/d1-migrations/d1"
import { quoteName, type SchemaObject, tablesOf } from "@accounts-stack/d1-migrations/schema"
import * as z from "zod"

import { rowSum } from "./row-sum.ts"

/** Number of rows, and a sum over the length and characters of every value. */
export type TableContent = { rows: number; sum: number }

const Content = z.object({ rows: z.number(), sum: z.number() })

/** What every table of a database holds, by name. D1 has no hash function. */
export async function readContents(database: Database): Promise<Map<string, TableContent>> {
  const contents = new Map<string, TableContent>()
  for (const { name, columns } of tablesOf(await database.allObjects())) {
    const sum = `coalesce(sum((${rowSum(columns.map((column) => column.name))}) % 1000003), 0)`
    const [row] = await database.ask(
      `SELECT count(*) AS "rows", ${sum} AS "sum" FROM ${quoteName(name)}`,
    )
    contents.set(name, Content.parse(row))
  }
  return contents
}

/** Every object in one order, whether or not an export has touched it. */
export function normalizeObjects(objects: SchemaObject[]): string[] {
  return objects
    .map(({ type, name, sql }) => `${type} ${name} ${sql.replace(/IF NOT EXISTS /i, "")}`)
    .toSorted()
}
