import * as z from "zod"

import { type JudgedFile, objectionsOf } from "../classification/judgement.ts"
import type { Database } from "../d1/database.ts"
import { findTable, isSameName, quoteName } from "../schema/schema.ts"
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

/** Whether files leave a table of their own, or a column that they add to one, as they make it. */
function isUnwritten(files: JudgedFile[], name: string): boolean {
  return files.every(({ classification: { trial } }) =>
    trial.steps.every(({ node }, index) => {
      const effect = trial.onNothing[index]?.effect
      if (node?.type === "AlterTableStmt") return node.body.type === "AddColumnAlterTableBody"
      if (node?.type === "CreateTableStmt" && node.body.type === "AsSelectCreateTableBody") {
        return !isSameName(node.tblName.objName.text, name)
      }
      const { writes, follows = [], byTriggers = [] } = effect ?? {}
      const written = [writes?.table ?? "", ...follows, ...byTriggers]
      return effect !== undefined && !written.some((one) => isSameName(one, name))
    }),
  )
}

/** What of a later file's losses the database cannot have: earlier ones of the run make it, and put nothing there. */
function emptyIn({ before, classification }: JudgedFile, earlier: JudgedFile[]): Set<string> {
  const names = classification.trial.losses.flatMap(({ table, column }) => {
    const known = findTable(earlier[0]?.before ?? [], table)
    const made = findTable(before, table)?.columns.find(({ name }) => name === column)
    const isAdded =
      column !== undefined &&
      made?.hasDefault === false &&
      known?.columns.every(({ name }) => !isSameName(name, column))
    if (known !== undefined && isAdded !== true) return []
    return isUnwritten(earlier, table) ? [column === undefined ? table : `${table}.${column}`] : []
  })
  return new Set(names)
}

/**
 * Tables that earlier files of the run make of rows that are all there still: what they hold is given up
 * without a loss. A moved row is not there still, so none of them may take or rename anything of before.
 */
function madeIn({ classification }: JudgedFile, earlier: JudgedFile[]): Set<string> {
  const before = earlier[0]?.before ?? []
  const isAdding = earlier.every(
    ({ classification: { reach, trial } }) =>
      !reach.taken.some((name) => findTable(before, name)) &&
      trial.steps.every(
        ({ node }) =>
          node?.type !== "AlterTableStmt" || node.body.type === "AddColumnAlterTableBody",
      ),
  )
  const tables = classification.trial.losses.map(({ table }) => table)
  return new Set(isAdding ? tables.filter((name) => findTable(before, name) === undefined) : [])
}

/**
 * The same without objections to taking what the database does not have: a table without rows, a
 * column without values. The guard finds in the request what comes until then.
 */
export async function onRows(database: Database, judged: JudgedFile[]): Promise<JudgedFile[]> {
  const [first] = judged
  const later = judged.slice(1).map((one, index) => {
    if (one.objections.length === 0) return one
    const earlier = judged.slice(0, index + 1)
    const made = madeIn(one, earlier)
    const objections = objectionsOf(one, new Set([...emptyIn(one, earlier), ...made]))
    return Object.assign({}, one, { objections, made })
  })
  if (first === undefined) return []
  if (first.objections.length === 0) return [first, ...later]
  const taken = takenBy(first)
  const queries = Object.fromEntries(
    taken.map(([name, sql]) => [name, `SELECT ${literal(name)} AS name, ${sql} AS filled`]),
  )
  if (taken.length === 0) return [first, ...later]
  const answers = Object.values(await database.askAll(queries)).flat()
  const rows = answers.map((row) => Filled.parse(row))
  const empty = new Set(rows.flatMap(({ name, filled }) => (filled === 0 ? [name] : [])))
  return [{ ...first, objections: objectionsOf(first, empty) }, ...later]
}
