import * as z from "zod"

import { checksOf, definitionOf } from "../classification/checks.ts"
import { readSchema, type Table } from "../schema/schema.ts"
import type { ScratchDatabase } from "../schema/scratch-database.ts"
import { folded } from "../sql/folded.ts"
import { sqlWords } from "../sql/words.ts"
import { definitionFacts } from "./definition-facts.ts"

/** What a schema consists of, each part by what it is called. */
export type SchemaFacts = Map<string, string>

/** Tables in which other tools record migrations: wrangler, drizzle-kit, NuxtHub, Alchemy. */
const ledgers = new Set([
  "d1_migrations",
  "__drizzle_migrations",
  "_hub_migrations",
  "__alchemy_migrations",
])

const Definition = z.object({ type: z.string(), name: z.string(), sql: z.string() })

/** Does not tell apart what is written otherwise: blanks, quotes, letter case, order of columns. */
export function readFacts(database: ScratchDatabase): SchemaFacts {
  const facts: SchemaFacts = new Map()
  for (const table of readSchema(database).filter(({ virtual }) => !virtual)) {
    if (!ledgers.has(table.name)) addTable(facts, { database, table })
  }
  const rows = database.rows(
    `SELECT type, name, sql FROM sqlite_master
     WHERE sql IS NOT NULL AND (type <> 'table' OR sql LIKE 'CREATE VIRTUAL%') ORDER BY name`,
  )
  for (const { type, name, sql } of rows.map((row) => Definition.parse(row))) {
    facts.set(`${type} ${folded(name)}`, normalizeSql(sql))
  }
  return facts
}

type Read = { database: ScratchDatabase; table: Table }

function addTable(facts: SchemaFacts, { database, table }: Read): void {
  const name = folded(table.name)
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
    facts.set(`column ${name}.${folded(column.name)}`, text)
  }
  for (const { columns, parent, parentColumns, onDelete, onUpdate } of table.foreignKeys) {
    const key = folded(columns.join(", "))
    const to = folded(`${parent} (${parentColumns.join(", ")})`)
    const action = `ON DELETE ${onDelete} ON UPDATE ${onUpdate}`
    facts.set(`reference ${name} (${key}) to ${to}`, action)
  }
  for (const [what, value] of definitionFacts(name, definitionOf(database, table.name))) {
    facts.set(what, value)
  }
  const primaryKey = primaryKeyOf(database, table.name)
  if (primaryKey !== "") facts.set(`primary key ${name}`, primaryKey)
  for (const check of checksOf(database, table.name)) facts.set(`check of ${name}: ${check}`, "")
  for (const key of constraintsOf(database, table.name)) facts.set(`unique ${name} (${key})`, "")
}

const Named = z.object({ name: z.string() })

function primaryKeyOf(database: ScratchDatabase, table: string): string {
  const rows = database.rows(
    "SELECT name FROM temp.pragma_table_info(?) WHERE pk > 0 ORDER BY pk",
    table,
  )
  const names = rows.map((row) => Named.parse(row).name)
  return folded(names.join(", "))
}

const IndexColumn = z.object({ name: z.string().nullable(), coll: z.string() })

/** Those of UNIQUE in the table itself. An index of its own has a name. */
function constraintsOf(database: ScratchDatabase, table: string): string[] {
  const indexes = database.rows(
    `SELECT name FROM temp.pragma_index_list(?) WHERE origin = 'u'`,
    table,
  )
  return indexes.map((row) => {
    const columns = database.rows(
      "SELECT name, coll FROM temp.pragma_index_xinfo(?) WHERE key = 1 ORDER BY seqno",
      Named.parse(row).name,
    )
    const parts = columns
      .map((one) => IndexColumn.parse(one))
      .map(({ name, coll }) => `${name ?? ""}${coll === "BINARY" ? "" : ` collate ${coll}`}`)
    return folded(parts.join(", "))
  })
}

function normalizeSql(sql: string): string {
  const words = sqlWords(sql).filter((word) => word !== ";")
  return words.join(" ").replace(/ if not exists /, " ")
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
  const isWhole = /^(?:table|index|view|trigger) /.test(what)
  return isWhole || value === "" ? what : `${what} ${value}`
}
