import { isRowid, isSameName, type Table } from "../schema/schema.ts"
import type { SchemaObject } from "../schema/scratch-database.ts"

/** Whether a full-text table or a trigger knows the rows of a table by their numbers, which a copy gives anew. */
export function usesNumbers(objects: SchemaObject[], table: Table): boolean {
  if (table.virtual || table.withoutRowid) return false
  if (table.columns.some(({ name }) => isRowid(table, name))) return false
  return objects.some(({ type, sql }) => {
    const words = sql.replaceAll(/without\s+rowid/gi, "")
    if (isContentOf(words, table.name)) return true
    if (/^create\s+virtual/i.test(words)) return false
    const isNamed = /(?<![a-z])(?:rowid|_rowid_)(?![a-z])/i.test(words)
    return isNamed && type !== "table" && speaksOf(words, table.name)
  })
}

/** A full-text table that keeps no text: what its words were is known to nobody once it goes. */
export function isContentless(objects: SchemaObject[], table: Table): boolean {
  if (!table.virtual) return false
  const own = objects.find(({ name }) => isSameName(name, table.name))
  return /\bcontent\s*=\s*(?:''|"")/i.test(own?.sql ?? "")
}

function isContentOf(sql: string, table: string): boolean {
  const [, content = ""] = /\bcontent\s*=\s*['"`[]?([^'"`\],)]+)/i.exec(sql) ?? []
  return isSameName(content.trim(), table)
}

function speaksOf(sql: string, table: string): boolean {
  return sql
    .toLowerCase()
    .split(/[^\w$\u0080-\uffff]+/)
    .includes(table.toLowerCase())
}
