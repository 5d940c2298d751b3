import { isDeepStrictEqual } from "node:util"

import { quoteName, readSchema } from "../../schema/schema.ts"
import { openScratchDatabase } from "../../schema/scratch-database.ts"
import { seedRows } from "../../testing/seed-rows.ts"
import { readCorpus, type Shape } from "./corpus.ts"
import { hazardRows, hazards, hazardSchema } from "./corpus/hazards.ts"

type Query = (sql: string) => Promise<unknown[]>

/** A migration, what it finds in a database, and how to tell whether rows are missing afterwards. */
export type TriedShape = {
  title: string
  given: string
  change: string
  losesRows: (query: Query) => Promise<boolean>
}

export function triedShapes(): TriedShape[] {
  return [...hazards.map(triedHazard), ...readCorpus().map(triedShape)]
}

/** By table: a column, and how many rows have a value in it as long as nothing is lost. */
const counted: [table: string, column: string, rows: number][] = [
  ["session", "id", 2],
  ["result", "id", 1],
  ["payment", "id", 1],
  ["audit", "actor_id", 1],
  ["usage", "user_id", 1],
  ["page", "nullif(theme_id, 1)", 1],
  ["category", "parent_id", 1],
  ["chair", "id", 1],
  ["decision", "admin_id", 1],
]

export function triedHazard({ title, given = "", sql }: (typeof hazards)[number]): TriedShape {
  return {
    title,
    given: hazardSchema + given + hazardRows,
    change: sql,
    async losesRows(query) {
      const counts = counted.map(async ([table, column, rows]) => {
        const answer = await query(`SELECT count(${column}) AS rows FROM ${table}`).catch(() => [])
        // A table that is gone was dropped explicitly.
        return answer.length === 0 || isDeepStrictEqual(answer, [{ rows }])
      })
      return (await Promise.all(counts)).includes(false)
    },
  }
}

export function triedShape({ title, before, change }: Shape): TriedShape {
  using scratch = openScratchDatabase()
  scratch.exec(before)
  seedRows(scratch)
  const tables = readSchema(scratch).map(({ name, foreignKeys }) => {
    const [row = {}] = scratch.rows(`SELECT * FROM ${quoteName(name)}`)
    return { name, foreignKeys, row }
  })
  const inserts = tables.map(({ name, row }) => {
    const cells = Object.values(row).map((cell) =>
      typeof cell === "string" ? `'${cell}'` : String(cell),
    )
    return `INSERT INTO ${quoteName(name)} VALUES (${cells.join(", ")});`
  })
  return {
    title,
    given: `${before}; PRAGMA defer_foreign_keys = ON; ${inserts.join("\n")}`,
    change,
    async losesRows(query) {
      const rowsOf = (table: string) =>
        query(`SELECT * FROM ${quoteName(table)}`).catch((): unknown[] => [])
      const lost = tables.map(async ({ name, foreignKeys, row }) => {
        // The corpus renames and moves tables from the plural to the singular.
        const rows = [...(await rowsOf(name)), ...(await rowsOf(name.replace(/s$/, "")))]
        const now = rows.map((entry) => JSON.stringify(entry)).join()
        const missing = Object.entries(row).filter(([, mark]) => !now.includes(String(mark)))
        const overwritten = missing.filter(([column]) => now.includes(`"${column}":`))
        const emptied = foreignKeys.some(({ columns: [column] }) =>
          now.includes(`"${column}":null`),
        )
        return missing.length === Object.keys(row).length || overwritten.length > 0 || emptied
      })
      return (await Promise.all(lost)).includes(true)
    },
  }
}
