import { countRows, type Database } from "@accounts-stack/d1-migrations/d1"
import { quoteName, tablesOf } from "@accounts-stack/d1-migrations/schema"
import * as z from "zod"

import { counted } from "../../../base/counted.ts"
import { parseJson } from "../../../deploy/parse-json.ts"

/** What a restore would take from one table, as far as it can be known beforehand. */
export type TableLoss = {
  table: string
  now: number
  /** Rows that it has after it. */
  after?: number | undefined
  /** Rows made since, where only their time of creation tells. */
  since?: number | undefined
}

/** What is known of the moment to go back to. */
export type Moment = {
  bookmark?: string
  /** Milliseconds. */
  time?: number | undefined
  /** Rows by table. */
  rows?: Map<string, number>
}

const Counts = z.record(z.string(), z.number())
const Count = z.object({ rows: z.number() })

/** D1 does not tell what a table held at a bookmark: that is known of some moments only. */
export async function findLosses(database: Database, moment: Moment): Promise<TableLoss[]> {
  const { applied } = await database.recorded()
  const migration = applied.find(({ record }) => record?.bookmark === moment.bookmark)
  const rowsBefore = Counts.safeParse(parseJson(migration?.record?.rows_before ?? "")).data ?? {}
  const applies =
    migration?.appliedAt === undefined ? undefined : Date.parse(`${migration.appliedAt}Z`)
  const time = moment.time ?? applies
  const timed = time === undefined ? new Set<string>() : await tablesWithTime(database)
  const losses: TableLoss[] = []
  for (const [table, now] of await countRows(database, await database.allObjects())) {
    const after = moment.rows === undefined ? rowsBefore[table] : (moment.rows.get(table) ?? 0)
    const asked = after === undefined && time !== undefined && timed.has(table)
    const since = asked ? await rowsSince(database, { table, time }) : undefined
    losses.push({ table, now, after, since })
  }
  const missing = [...(moment.rows ?? [])].filter(
    ([name]) => !name.startsWith("sqlite_") && !losses.some(({ table }) => table === name),
  )
  return [...losses, ...missing.map(([table, after]) => ({ table, now: 0, after }))]
}

async function tablesWithTime(database: Database): Promise<Set<string>> {
  const timed = tablesOf(await database.objects()).filter(({ columns }) =>
    columns.some(({ name, type }) => name === "created_at" && type === "INTEGER"),
  )
  return new Set(timed.map(({ name }) => name))
}

async function rowsSince(
  database: Database,
  { table, time }: { table: string; time: number },
): Promise<number> {
  // Milliseconds, as this service writes them.
  const [row] = await database.ask(
    `SELECT count(*) AS "rows" FROM ${quoteName(table)} WHERE created_at > ${time}`,
  )
  return Count.parse(row).rows
}

/** For people: one line for each table that has or had rows. */
export function describeLosses(losses: TableLoss[]): string {
  const shown = losses.filter(({ now, after }) => now > 0 || (after ?? 0) > 0)
  if (shown.length === 0) return "  every table is empty"
  const width = Math.max(...shown.map(({ table }) => table.length))
  return shown
    .map(
      (loss) =>
        `  ${loss.table.padEnd(width)}  ${counted(loss.now, "row")} now, ${describeThen(loss)}`,
    )
    .join("\n")
}

function describeThen({ now, after, since }: TableLoss): string {
  if (after !== undefined) return `${after} then${after < now ? ` (${now - after} fewer)` : ""}`
  if (since !== undefined) return `${since} of them made since; changes and deletions are not known`
  return "then is not known"
}
