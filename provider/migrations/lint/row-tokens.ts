import { quoteName, readSchema, type Table } from "../rehearsal/schema.ts"
import type { Row, ScratchDatabase } from "../rehearsal/scratch-database.ts"

/** Numbers that `seedRows` writes; they are found again in texts that were made of them. */
const token = /900\d{6}/g

type HeldRow = { table: string; tokens: Set<string> }

/** The one row of a table before the file ran. */
export type TrackedRow = {
  table: Table
  tokens: Set<string>
  /** Those that no other table had. */
  own: Set<string>
}

function tokensOf(row: Row): Set<string> {
  const texts = Object.values(row).map((value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : String(value),
  )
  return new Set(texts.flatMap((text) => text.match(token) ?? []))
}

/** Rows that came, wholly or in part, from before the file. */
export function readHeldRows(database: ScratchDatabase): HeldRow[] {
  return readSchema(database).flatMap(({ name }) =>
    database
      .rows(`SELECT * FROM ${quoteName(name)}`)
      .map((row) => ({ table: name, tokens: tokensOf(row) }))
      .filter(({ tokens }) => tokens.size > 0),
  )
}

export function trackRows(schema: Table[], rows: HeldRow[]): TrackedRow[] {
  return rows.flatMap(({ table: name, tokens }) => {
    const table = schema.find((one) => one.name === name)
    if (table === undefined) return []
    const others = rows.filter((row) => row.table !== name)
    const own = [...tokens].filter((one) => others.every((row) => !row.tokens.has(one)))
    return { table, tokens, own: new Set(own) }
  })
}

/** Whether the row still is anywhere: in its table, in one rebuilt in its place, or in another. */
export function isKept(
  tracked: TrackedRow,
  { rows, home, old }: { rows: HeldRow[]; home: string | undefined; old: Set<string> },
): boolean {
  const { own, tokens } = tracked
  return rows.some(
    (row) =>
      [...own].some((one) => row.tokens.has(one)) ||
      (row.table === home && [...tokens].some((one) => row.tokens.has(one))) ||
      (!old.has(row.table) && [...tokens].every((one) => row.tokens.has(one))),
  )
}
