import { parseScript } from "../analysis/parsed-script.ts"
import {
  firingStatements,
  isRowid,
  isSameName,
  quoteName,
  readDefinitions,
  type Table,
} from "../schema/schema.ts"
import {
  contentOf,
  type SchemaObject,
  type ScratchDatabase,
  scratchDatabaseOf,
} from "../schema/scratch-database.ts"

/**
 * Whether a full-text table, a trigger or a view knows the rows of a table by their numbers, which a
 * copy gives again: SQLite tells that while it compiles them, and an INSERT names the column.
 */
export function usesNumbers(objects: SchemaObject[], table: Table): boolean {
  if (table.virtual || table.withoutRowid) return false
  if (table.columns.some(({ name }) => isRowid(table, name))) return false
  if (objects.some(({ sql }) => isSameName(contentOf(sql) ?? "", table.name))) return true
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
  return contentOf(object?.sql ?? "") === ""
}
