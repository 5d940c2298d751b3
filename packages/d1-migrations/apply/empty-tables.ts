import * as z from "zod"

import { type JudgedFile, objectionsOf } from "../classification/judgement.ts"
import type { Database } from "../d1/database.ts"
import { findTable, quoteName } from "../schema/schema.ts"
import { literal } from "../sql/literal.ts"

const Filled = z.object({ name: z.string(), filled: z.number() })

/** Tables and columns of before, as in `note` and `note.text`, that a file would take something of. */
function takenBy({ before, classification }: JudgedFile): [name: string, sql: string][] {
  return classification.trial.losses.flatMap((loss): [string, string][] => {
    const table = findTable(before, loss.table)
    if (loss.part !== undefined || table === undefined) return []
    const { column } = loss
    const own = quoteName(table.name)
    const name = column === undefined ? table.name : `${table.name}.${column}`
    const where = column === undefined ? "" : ` WHERE ${quoteName(column)} IS NOT NULL`
    return [[name, `EXISTS (SELECT 1 FROM ${own}${where})`]]
  })
}

/**
 * The same without objections to taking what the database does not have: a table without rows, a
 * column without values. The guard finds in the request what comes until then.
 */
export async function onRows(database: Database, judged: JudgedFile[]): Promise<JudgedFile[]> {
  const [first, ...later] = judged
  if (first === undefined || first.objections.length === 0) return judged
  const taken = takenBy(first)
  const queries = Object.fromEntries(
    taken.map(([name, sql]) => [name, `SELECT ${literal(name)} AS name, ${sql} AS filled`]),
  )
  if (taken.length === 0) return judged
  const answers = Object.values(await database.askAll(queries)).flat()
  const rows = answers.map((row) => Filled.parse(row))
  const empty = new Set(rows.flatMap(({ name, filled }) => (filled === 0 ? [name] : [])))
  return [{ ...first, objections: objectionsOf(first, empty) }, ...later]
}
