import type { Analysis } from "../analysis/analysis.ts"
import { parseScript } from "../analysis/parsed-script.ts"
import { isOwnTable, type Names } from "../names.ts"
import {
  findTable,
  firingStatements,
  isRowid,
  isSameName,
  quoteName,
  readDefinitions,
  type Table,
} from "../schema/schema.ts"
import {
  type SchemaObject,
  type ScratchDatabase,
  scratchDatabaseOf,
} from "../schema/scratch-database.ts"
import { folded } from "../sql/folded.ts"
import { balanced, literal } from "../sql/literal.ts"

/**
 * Whether a full-text table, a trigger or a view knows the rows of a table by their numbers, which a
 * copy gives anew: SQLite says so while it compiles them, and an INSERT that gives numbers says it in words.
 */
export function usesNumbers(objects: SchemaObject[], table: Table): boolean {
  if (table.virtual || table.withoutRowid) return false
  if (table.columns.some(({ name }) => isRowid(table, name))) return false
  if (objects.some(({ sql }) => isContentOf(sql, table.name))) return true
  if (!objects.some(({ type, sql }) => compiled.has(type) && /rowid|oid/i.test(sql))) return false
  using database = scratchDatabaseOf(objects)
  return numberedIn(database).some((name) => isSameName(name, table.name))
}

const compiled = new Set(["trigger", "view"])

/** Tables whose rows triggers and views know by their numbers. */
function numberedIn(database: ScratchDatabase): string[] {
  const definitions = readDefinitions(database).filter(({ type }) => compiled.has(type))
  const statements = definitions.flatMap(({ type, name, table }) =>
    type === "view" ? [`SELECT * FROM ${quoteName(name)}`] : firingStatements(database, table),
  )
  const read = [...new Set(statements)].flatMap((sql) =>
    database.problemOf(sql) === undefined ? database.prepare(sql).effect.numbered : [],
  )
  const writtenByNumber = definitions.flatMap(({ sql }) => {
    const [node] = parseScript(`${sql};`).map((parsedStatement) => parsedStatement.node)
    const commands = node?.type === "CreateTriggerStmt" ? node.commands : []
    return commands.flatMap((command) =>
      command.type === "InsertTriggerCmd" &&
      command.colNames?.some(({ text }) => /^(?:_?rowid_?|oid)$/i.test(text)) === true
        ? [command.tblName.objName.text]
        : [],
    )
  })
  return [...read, ...writtenByNumber]
}

/** Whether a full-text table stores no text, so that its index cannot be made again. */
export function isContentless(objects: SchemaObject[], table: Table): boolean {
  if (!table.virtual) return false
  const object = objects.find(({ name }) => isSameName(name, table.name))
  return /\bcontent\s*=\s*(?:''|"")/i.test(object?.sql ?? "")
}

function isContentOf(sql: string, table: string): boolean {
  const [, content = ""] = /\bcontent\s*=\s*['"`[]?([^'"`\],)]+)/i.exec(sql) ?? []
  return isSameName(content.trim(), table)
}

/** A column that may hold numbers of rows of another table, as nothing says that it does. */
export type NumberColumn = { table: string; column: string }

/** Columns of whole numbers that are named like a table and refer to nothing, in tables that a file leaves alone. */
export function numberColumns(
  { reach, after, before, tables }: Analysis,
  names: Names,
  table: Table,
): NumberColumn[] {
  const disturbed = [...reach.touched, ...reach.taken]
  const meant = folded(table.name).replace(/s$/, "")
  return before.flatMap(({ name, virtual, columns, foreignKeys }) => {
    const now = findTable(after, name)
    const isLeft =
      !disturbed.some((disturbedName) => isSameName(disturbedName, name)) &&
      !isOwnTable(name, names)
    const isMoved = tables.findByOriginalName(name) !== tables.findByName(name)
    if (virtual || isMoved || !isLeft || now === undefined || isSameName(name, table.name)) {
      return []
    }
    const keys = columns.filter(({ inPrimaryKey }) => inPrimaryKey)
    const referring = foreignKeys.flatMap((foreignKey) => foreignKey.columns)
    return columns
      .filter(({ type, generated }) => !generated && /^$|int/i.test(type))
      .filter((column) => folded(column.name).includes(meant) || /row(?:_?id)?$/i.test(column.name))
      .filter((column) => keys.length > 1 || !column.inPrimaryKey)
      .filter(
        (column) => !referring.some((referringColumn) => isSameName(referringColumn, column.name)),
      )
      .filter((column) => now.columns.some((remaining) => isSameName(remaining.name, column.name)))
      .map((column) => ({ table: name, column: column.name }))
  })
}

type Renumbered = { columns: NumberColumn[]; table: string; was: string; kept: string }

/** Columns in one statement: each has an expression of its own, and D1 takes 100 KB. */
const mostColumns = 50

/** 0, a negative number or a text stand for no row. */
function isNumber(value: string): string {
  return `typeof(${value}) = 'integer' AND ${value} > 0`
}

/**
 * What to say where all values of a column were numbers of rows, and some are those of other rows now, or of
 * none: a copy gives new ones.
 * @param was SELECT of the original rowids
 * @param kept SELECT of the rowids that the same rows still have
 */
export function checkNumbers({ columns, table, was, kept }: Renumbered): string[] {
  const conditions = columns.map((column) => {
    const [from, value] = [quoteName(column.table), quoteName(column.column)]
    const without = (numbers: string) =>
      `EXISTS (SELECT 1 FROM ${from} WHERE ${isNumber(value)} AND ${value} NOT IN (${numbers}))`
    return {
      name: `${column.table}.${column.column}`,
      when: `(NOT ${without(was)} AND ${without(kept)})`,
    }
  })
  const chunks = Array.from({ length: Math.ceil(conditions.length / mostColumns) }, (_, index) =>
    conditions.slice(index * mostColumns, (index + 1) * mostColumns),
  )
  return chunks.map((chunk) => {
    const cases = chunk.map(({ name, when }) => `WHEN ${when} THEN ${literal(name)}`).join("\n")
    const advice = ` has numbers of rows of ${table}, which get other ones: copy them, too (INSERT INTO … (rowid, …) SELECT rowid, …)\n`
    const any = balanced(
      chunk.map(({ when }) => when),
      "OR",
    )
    return `CASE WHEN ${any} THEN CASE ${cases} END || ${literal(advice)} ELSE '' END`
  })
}
