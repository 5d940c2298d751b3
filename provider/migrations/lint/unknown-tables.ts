import * as z from "zod"

import { messageOf } from "../../../failure.ts"
import { isSameName, quoteName } from "../rehearsal/schema.ts"
import type { ScratchDatabase } from "../rehearsal/scratch-database.ts"
import { type ParsedStatement, parseScript } from "./parsed-script.ts"

/** Stands for whatever may refer to a table that only other files know. */
const child = "unknown tables that refer to "

export function isGuessed(table: string): boolean {
  return table.startsWith(child)
}

export function guessedParent(table: string): string {
  return table.slice(child.length)
}

const Key = z.object({ type: z.string() })

/** More than a file can name. */
const attempts = 2000

/**
 * Adds the tables that a file needs and that no earlier file made, as far as the file itself tells
 * what they are like. Returns their names.
 */
export function addUnknownTables(database: ScratchDatabase, script: string): string[] {
  const statements = parseScript(script)
  const added: string[] = []
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const missing = firstMissing(database, statements)
    if (missing === undefined) break
    if (!addMissing(database, missing, added, statements)) break
  }
  for (const table of added) addChild(database, table)
  return added
}

type Missing = {
  statement: ParsedStatement
  table: string
  column: string | undefined
  width: number
}

/** What the first statement that needs something unknown needs. */
function firstMissing(
  database: ScratchDatabase,
  statements: ParsedStatement[],
): Missing | undefined {
  using copy = database.copy()
  for (const statement of statements) {
    try {
      copy.prepare(statement.sql).run()
    } catch (error) {
      const missing = parseReason(messageOf(error), statement)
      if (missing !== undefined) return missing
    }
  }
  return undefined
}

function parseReason(reason: string, statement: ParsedStatement): Missing | undefined {
  const table = /no such table: (?:main\.)?(.+)$/.exec(reason)?.[1]
  if (table !== undefined) return { statement, table, column: undefined, width: 0 }
  const named = /table (.+) has no column named (.+)$/.exec(reason)
  if (named?.[1] !== undefined) return { statement, table: named[1], column: named[2], width: 0 }
  const column = /no such column: "?(?:.+\.)?([^"]+)"?$/.exec(reason)?.[1]
  const subject = subjectOf(statement)
  if (column !== undefined && subject !== undefined) {
    return { statement, table: subject, column, width: 0 }
  }
  const width = /table (.+) has (\d+) columns? but (\d+) values? were supplied/.exec(reason)
  return width?.[1] === undefined
    ? undefined
    : { statement, table: width[1], column: undefined, width: Number(width[2]) }
}

/** The table whose columns a statement names. */
function subjectOf({ node }: ParsedStatement): string | undefined {
  if (node?.type === "InsertStmt") {
    return node.body.type === "SelectInsertBody" ? sourceOf(node.body.select.select) : undefined
  }
  if (node?.type === "SelectStmt") return sourceOf(node.body.select)
  if (node?.type === "CreateTableStmt") {
    const { body } = node
    return body.type === "AsSelectCreateTableBody" ? sourceOf(body.select.select) : undefined
  }
  if (node === undefined || !("tblName" in node)) return undefined
  return "text" in node.tblName ? node.tblName.text : node.tblName.objName.text
}

type OneSelect = Extract<ParsedStatement["node"], { type: "SelectStmt" }>["body"]["select"]

function sourceOf(select: OneSelect): string | undefined {
  if (select.type !== "SelectFrom") return undefined
  const table = select.from?.select
  return table?.type === "TableSelectTable" ? table.tblName.objName.text : undefined
}

/** False when nothing could be added, so that the next attempt would fail in the same way. */
function addMissing(
  database: ScratchDatabase,
  { statement, table, column, width }: Missing,
  added: string[],
  statements: ParsedStatement[],
): boolean {
  if (column !== undefined) {
    const known = added.find((name) => isSameName(name, table))
    return known !== undefined && tryAll(database, [addColumn(known, column)])
  }
  if (width > 0) {
    // `SELECT *` of a table that is guessed: as many columns as the target has.
    const source = subjectOf(statement)
    const known = added.find((name) => isSameName(name, source ?? ""))
    if (known === undefined) return false
    const columns = database.rows("SELECT name FROM pragma_table_info(?)", known).length
    return columns < width && tryAll(database, [addColumn(known, `unknown_${columns}`)])
  }
  if (added.some((name) => isSameName(name, table)) || isGuessed(table)) return false
  added.push(table)
  const rebuilt = definitionOf(table, statements)
  if (rebuilt !== undefined && tryAll(database, [rebuilt])) return true
  return tryAll(database, [`CREATE TABLE ${quoteName(table)} (id PRIMARY KEY)`])
}

function addColumn(table: string, column: string): string {
  return `ALTER TABLE ${quoteName(table)} ADD COLUMN ${quoteName(column)}`
}

function tryAll(database: ScratchDatabase, statements: string[]): boolean {
  try {
    for (const sql of statements) database.exec(sql)
    return true
  } catch {
    return false
  }
}

/** A table that the file rebuilds was like the one that it builds in its place. */
function definitionOf(table: string, statements: ParsedStatement[]): string | undefined {
  const builder = statements.flatMap(({ node }) =>
    node?.type === "AlterTableStmt" &&
    node.body.type === "RenameToAlterTableBody" &&
    isSameName(node.body.name.text, table)
      ? [node.tblName.objName.text]
      : [],
  )[0]
  const made = statements.find(
    ({ node }) =>
      node?.type === "CreateTableStmt" &&
      isSameName(node.tblName.objName.text, builder ?? table) &&
      node.body.type !== "AsSelectCreateTableBody",
  )
  if (made?.node?.type !== "CreateTableStmt") return undefined
  const { offset, length } = made.node.tblName.objName.span
  return made.sql.slice(0, offset) + quoteName(table) + made.sql.slice(offset + length)
}

function addChild(database: ScratchDatabase, table: string): void {
  const keys = database
    .rows("SELECT type FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", table)
    .map((row) => Key.parse(row))
  if (keys.length === 0) return
  const columns = keys.map(({ type }, index) => `k${index} ${type}`).join(", ")
  const names = keys.map((_, index) => `k${index}`).join(", ")
  const key = `FOREIGN KEY (${names}) REFERENCES ${quoteName(table)} ON DELETE CASCADE`
  database.exec(`CREATE TABLE ${quoteName(child + table)} (${columns}, ${key})`)
}
