import * as z from "zod"

import { checksOf } from "../../../provider/migrations/classification/checks.ts"
import { ledgerTable, sidecarTable } from "../../../provider/migrations/own-tables.ts"
import { readSchema, type Table } from "../../../provider/migrations/rehearsal/schema.ts"
import type { ScratchDatabase } from "../../../provider/migrations/rehearsal/scratch-database.ts"

/** What a schema consists of, each part by what it is called. */
export type SchemaFacts = Map<string, string>

/** Tables in which tools record migrations: wrangler, this project, drizzle-kit, NuxtHub, Alchemy. */
const ledgers = new Set([
  ledgerTable,
  sidecarTable,
  "__drizzle_migrations",
  "_hub_migrations",
  "__alchemy_migrations",
])

const Definition = z.object({ type: z.string(), name: z.string(), sql: z.string() })

/** Does not tell apart what is written otherwise: blanks, quotes, letter case, order of columns. */
export function readFacts(database: ScratchDatabase): SchemaFacts {
  const facts: SchemaFacts = new Map()
  for (const table of readSchema(database)) {
    if (!ledgers.has(table.name)) addTable(facts, { database, table })
  }
  const rows = database.rows(
    "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND type <> 'table' ORDER BY name",
  )
  for (const { type, name, sql } of rows.map((row) => Definition.parse(row))) {
    facts.set(`${type} ${name.toLowerCase()}`, normalizeSql(sql))
  }
  return facts
}

type Read = { database: ScratchDatabase; table: Table }

function addTable(facts: SchemaFacts, { database, table }: Read): void {
  const name = table.name.toLowerCase()
  const kind = [table.strict && "STRICT", table.withoutRowid && "WITHOUT ROWID"]
  facts.set(`table ${name}`, kind.filter((word) => word !== false).join(", "))
  for (const column of table.columns) {
    const { type, inPrimaryKey, notNull, hasDefault, defaultValue, generated } = column
    const words = [
      type,
      inPrimaryKey && "PRIMARY KEY",
      notNull && "NOT NULL",
      hasDefault && `DEFAULT ${normalizeSql(defaultValue)}`,
      generated && "GENERATED",
    ]
    const text = words.filter((word) => word !== false && word !== "").join(" ")
    facts.set(`column ${name}.${column.name.toLowerCase()}`, text)
  }
  for (const { columns, parent, parentColumns, onDelete, onUpdate } of table.foreignKeys) {
    const key = columns.join(", ").toLowerCase()
    const to = `${parent} (${parentColumns.join(", ")})`.toLowerCase()
    facts.set(`reference ${name} (${key})`, `${to} ON DELETE ${onDelete} ON UPDATE ${onUpdate}`)
  }
  for (const check of checksOf(database, table.name)) facts.set(`check of ${name}: ${check}`, "")
  for (const key of constraintsOf(database, table.name)) facts.set(`unique ${name} (${key})`, "")
}

const Index = z.object({ name: z.string() })
const IndexColumn = z.object({ name: z.string().nullable() })

/** Those of UNIQUE in the table itself. An index of its own has a name. */
function constraintsOf(database: ScratchDatabase, table: string): string[] {
  const indexes = database.rows(`SELECT name FROM pragma_index_list(?) WHERE origin = 'u'`, table)
  return indexes.map((row) => {
    const { name } = Index.parse(row)
    const columns = database.rows("SELECT name FROM pragma_index_info(?) ORDER BY seqno", name)
    return columns
      .map((one) => IndexColumn.parse(one).name ?? "")
      .join(", ")
      .toLowerCase()
  })
}

const token = /'(?:[^']|'')*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[^]*?\*\/|\w+|[<>=!|]+|\S/g

function normalizeSql(sql: string): string {
  const words = [...sql.matchAll(token)].map(([word]) => word)
  return words
    .filter((word) => !/^(?:--|\/\*)/.test(word) && word !== ";")
    .map((word) => (word.startsWith("'") ? word : word.replaceAll(/["`[\]]/g, "").toLowerCase()))
    .join(" ")
    .replace(/ if not exists /, " ")
}

/** For people: what one has and the other has not, or has otherwise. */
export function describeFactDifferences(database: SchemaFacts, files: SchemaFacts): string[] {
  const lines: string[] = []
  for (const [what, value] of database) {
    const wanted = files.get(what)
    if (wanted === undefined) lines.push(`only in the database: ${shown(what, value)}`)
    else if (wanted !== value) {
      lines.push(`${what}: ${value || "plain"} in the database, ${wanted || "plain"} in the files`)
    }
  }
  for (const [what, value] of files) {
    if (!database.has(what)) lines.push(`only in the files: ${shown(what, value)}`)
  }
  return lines
}

function shown(what: string, value: string): string {
  return /^(?:column|reference) /.test(what) && value !== "" ? `${what} ${value}` : what
}
