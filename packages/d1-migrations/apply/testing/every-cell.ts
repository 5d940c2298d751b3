import * as z from "zod"

import type { D1 } from "../../d1/d1.ts"
import { literal } from "../../sql/literal.ts"

/** Rows by table and column, as SQL. */
export type Content = Map<string, Map<string, string>[]>

const Named = z.object({ name: z.string() })
const Cells = z.record(z.string(), z.string())

const tables = `SELECT name FROM temp.pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual')
  AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'd1\\_%' ESCAPE '\\'`

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Every cell of a database, read with SQLite only: the code under test has no part in it. */
export async function everyCell(d1: Pick<D1, "query">): Promise<Content> {
  const [tableRows = []] = await d1.query([tables])
  const content: Content = new Map()
  for (const { name } of tableRows.map((row) => Named.parse(row))) {
    const [columns = []] = await d1.query([
      `SELECT name FROM temp.pragma_table_xinfo(${literal(name)}) WHERE hidden = 0`,
    ])
    const names = columns.map((row) => Named.parse(row).name)
    const list = names.map((column, index) => `quote(${quoted(column)}) AS c${index}`)
    const [rows = []] = await d1.query([`SELECT ${list.join(", ")} FROM ${quoted(name)}`])
    const cells = rows.map((row) => Object.values(Cells.parse(row)))
    content.set(
      name,
      cells.map((values) => new Map(values.map((value, index) => [names[index] ?? "", value]))),
    )
  }
  return content
}

/** Rows that are missing afterwards: each must be there whole, and as often as before. */
export function differencesOf(before: Content, after: Content): string[] {
  return [...before].flatMap(([table, rows]) => {
    const remaining = (after.get(table) ?? []).map(textOf)
    const lost = rows.filter((row) => {
      const at = remaining.indexOf(textOf(row))
      if (at >= 0) remaining.splice(at, 1)
      return at < 0
    })
    return lost.map((row) => `${table}: ${textOf(row)}`)
  })
}

function textOf(row: Map<string, string>): string {
  return JSON.stringify([...row].toSorted(([a], [b]) => a.localeCompare(b)))
}
