import * as z from "zod"

import type { Database } from "../d1/database.ts"
import { type JudgedFile, objectionsOf } from "../judgement/judgement.ts"
import { findTable, isSameName, quoteName, type Table } from "../schema/schema.ts"
import { literal } from "../sql/literal.ts"

const Filled = z.object({ name: z.string(), filled: z.number() })

/** Tables and columns, as in `note` and `note.text`, that a file would take something of. */
function takenBy({ before, losses }: JudgedFile): [name: string, sql: string][] {
  return losses.flatMap((loss): [string, string][] => {
    const table = findTable(before, loss.table)
    const column = table?.columns.find(({ name }) => name === loss.column)?.name
    if (loss.kind === "part" || table === undefined) return []
    const quotedTable = quoteName(table.name)
    const name = column === undefined ? table.name : `${table.name}.${column}`
    const where = column === undefined ? "" : ` WHERE ${quoteName(column)} IS NOT NULL`
    return [[name, `EXISTS (SELECT 1 FROM ${quotedTable}${where})`]]
  })
}

/** Whether files leave a table of their own, or a column that they add to one, as they make it. */
function isUnwritten(files: JudgedFile[], name: string): boolean {
  return files.every(({ analysis }) =>
    analysis.steps.every(({ node, effect }) => {
      if (node?.type === "AlterTableStmt") return node.body.type === "AddColumnAlterTableBody"
      if (node?.type === "CreateTableStmt" && node.body.type === "AsSelectCreateTableBody") {
        return !isSameName(node.tblName.objName.text, name)
      }
      const { writes, cascades = [], byTriggers = [] } = effect ?? {}
      const written = [writes?.table ?? "", ...cascades, ...byTriggers]
      return effect !== undefined && !written.some((writtenName) => isSameName(writtenName, name))
    }),
  )
}

type Live = {
  /** The tables of the database before the run. */
  tables: Table[]
  /** Which of them, and of their columns, hold nothing. */
  empty: Set<string>
}

/** What of a file's losses the database cannot have: it holds nothing there, and earlier files of the run put nothing there. */
function emptyIn({ before, losses }: JudgedFile, earlier: JudgedFile[], live: Live): string[] {
  return losses.flatMap((loss) => {
    const table = findTable(live.tables, loss.table)
    const column = findTable(before, loss.table)?.columns.find(({ name }) => name === loss.column)
    const name = column === undefined ? loss.table : `${loss.table}.${loss.column}`
    const isNew = table === undefined || (column !== undefined && !isIn(live.tables, name))
    const isEmpty = isNew
      ? table === undefined || column?.hasDefault === false
      : live.empty.has(name)
    return isEmpty && isUnwritten(earlier, loss.table) ? [name] : []
  })
}

/**
 * Tables that earlier files of the run make of rows that are all there still: what they hold is given up
 * without a loss. A moved row is not there still, so none of them may take or rename anything of before.
 */
function madeIn({ losses }: JudgedFile, earlier: JudgedFile[], before: Table[]): Set<string> {
  const isAdding = earlier.every(
    ({ analysis: { reach, steps } }) =>
      !reach.taken.some((name) => findTable(before, name)) &&
      steps.every(
        ({ node }) =>
          node?.type !== "AlterTableStmt" || node.body.type === "AddColumnAlterTableBody",
      ),
  )
  const tables = losses.map(({ table }) => table)
  return new Set(isAdding ? tables.filter((name) => findTable(before, name) === undefined) : [])
}

/**
 * The same without objections to taking what the database does not have: a table without rows, a
 * column without values. The guard finds in the request what comes until then.
 */
export async function onRows(database: Database, judged: JudgedFile[]): Promise<JudgedFile[]> {
  const tables = judged[0]?.before ?? []
  const affected = judged.flatMap((judgedFile) =>
    judgedFile.objections.length === 0
      ? []
      : takenBy(judgedFile).filter(([name]) => isIn(tables, name)),
  )
  const queries = Object.fromEntries(
    affected.map(([name, sql]) => [name, `SELECT ${literal(name)} AS name, ${sql} AS filled`]),
  )
  const answers = affected.length === 0 ? [] : Object.values(await database.askAll(queries)).flat()
  const rows = answers.map((row) => Filled.parse(row))
  const empty = new Set(rows.flatMap(({ name, filled }) => (filled === 0 ? [name] : [])))
  return judged.map((judgedFile, index) => {
    if (judgedFile.objections.length === 0) return judgedFile
    const earlier = judged.slice(0, index)
    const helperTables = madeIn(judgedFile, earlier, tables)
    const spared = new Set([...emptyIn(judgedFile, earlier, { tables, empty }), ...helperTables])
    return Object.assign({}, judgedFile, {
      objections: objectionsOf(judgedFile, spared),
      made: helperTables,
    })
  })
}

/** Whether the database has it already, and not only when files before have run. */
function isIn(tables: JudgedFile["before"], name: string): boolean {
  return tables.some(
    (table) =>
      table.name === name ||
      table.columns.some((column) => `${table.name}.${column.name}` === name),
  )
}
