import * as z from "zod"

import type { Database } from "../d1/database.ts"
import { type JudgedFile, objectionsOf } from "../judgement/judgement.ts"
import { findTable, isSameName, quoteName, type Table } from "../schema/schema.ts"

const Filled = z.object({ filled: z.number() })

/** Tables and columns from which a file would take something, by names as in `note` and `note.text`. */
function subjectsOf({ before, losses, objections }: JudgedFile) {
  return losses.flatMap((loss) => {
    const table = findTable(before, loss.table)
    if (loss.kind === "part" || table === undefined || objections.length === 0) return []
    const column = table.columns.find(({ name }) => name === loss.column)
    const name = column === undefined ? loss.table : `${loss.table}.${column.name}`
    return [{ name, table: loss.table, column }]
  })
}

type Subject = ReturnType<typeof subjectsOf>[number]

/** Whether files add a table, or a column, and write nothing to it. */
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

/**
 * Tables that earlier files of the run make of rows that all remain: dropping them loses nothing. A moved
 * row does not remain, so none of these files may take or rename anything of an existing table.
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
 * column without values. The guard finds in the request what is added until then.
 */
export async function onRows(database: Database, judged: JudgedFile[]): Promise<JudgedFile[]> {
  const tables = judged[0]?.before ?? []
  const columnsOf = (table: string) => findTable(tables, table)?.columns
  const exists = ({ table, column }: Subject) =>
    column === undefined
      ? columnsOf(table) !== undefined
      : columnsOf(table)?.some(({ name }) => name === column.name) === true
  const queries = Object.fromEntries(
    judged
      .flatMap(subjectsOf)
      .filter(exists)
      .map(({ name, table, column }) => {
        const where = column === undefined ? "" : ` WHERE ${quoteName(column.name)} IS NOT NULL`
        return [name, `SELECT EXISTS (SELECT 1 FROM ${quoteName(table)}${where}) AS filled`]
      }),
  )
  const answers = Object.keys(queries).length === 0 ? {} : await database.askAll(queries)
  const isEmpty = (subject: Subject) =>
    exists(subject)
      ? Filled.parse(answers[subject.name]?.[0]).filled === 0
      : columnsOf(subject.table) === undefined || subject.column?.hasDefault === false
  return judged.map((judgedFile, index) => {
    const { objections } = judgedFile
    if (objections.length === 0) return judgedFile
    const earlier = judged.slice(0, index)
    const helperTables = madeIn(judgedFile, earlier, tables)
    const spared = subjectsOf(judgedFile)
      .filter((subject) => isEmpty(subject) && isUnwritten(earlier, subject.table))
      .map(({ name }) => name)
    const remaining = objectionsOf(judgedFile, new Set([...spared, ...helperTables]))
    return Object.assign({}, judgedFile, { objections: remaining, made: helperTables })
  })
}
