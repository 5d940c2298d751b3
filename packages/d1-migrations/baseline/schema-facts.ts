import { parseScript } from "../analysis/parsed-script.ts"
import { checksIn, definitionOf } from "../parts/parts.ts"
import { readDefinitions, readSchema, type Table } from "../schema/schema.ts"
import type { ScratchDatabase } from "../schema/scratch-database.ts"
import { folded } from "../sql/folded.ts"
import { sqlWords, wordsInside } from "../sql/words.ts"

/** What a schema consists of, each part by what it is called. */
export type SchemaFacts = Map<string, string>

/** Tables in which other tools record migrations: wrangler, drizzle-kit, NuxtHub, Alchemy. */
const ledgers = new Set([
  "d1_migrations",
  "__drizzle_migrations",
  "_hub_migrations",
  "__alchemy_migrations",
])

/** Does not tell apart what is written otherwise: blanks, quotes, letter case, order of columns. */
export function readFacts(database: ScratchDatabase): SchemaFacts {
  const facts: SchemaFacts = new Map()
  const tables = readSchema(database).filter(({ virtual }) => !virtual)
  for (const { type, name, sql } of readDefinitions(database)) {
    const table = type === "table" ? tables.find((candidate) => candidate.name === name) : undefined
    if (table === undefined) facts.set(`${type} ${folded(name)}`, normalizeSql(sql))
    else if (!ledgers.has(name)) addTable(facts, { database, table, sql })
  }
  return facts
}

type Read = { database: ScratchDatabase; table: Table; sql: string }

function addTable(facts: SchemaFacts, { database, table, sql }: Read): void {
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
  const primaryKey = folded(table.primaryKey.join(", "))
  if (primaryKey !== "") facts.set(`primary key ${name}`, primaryKey)
  const words = definitionOf(database, table.name)
  for (const check of checksIn(words, table.name)) facts.set(`check of ${name}: ${check}`, "")
  // An index of its own has a name.
  for (const { columns } of table.indexes.filter(({ origin }) => origin === "u")) {
    const parts = columns.map(({ name: column, collation }) => {
      return `${column ?? ""}${collation === "BINARY" ? "" : ` collate ${collation}`}`
    })
    facts.set(`unique ${name} (${folded(parts.join(", "))})`, "")
  }
  for (const [fact, value] of saidOnly(name, sql)) facts.set(fact, value)
}

/**
 * What only the text of a table's definition tells: collations, AUTOINCREMENT, generated columns, what a
 * conflict does, deferred references. SQLite's pragmas do not say these.
 */
function saidOnly(table: string, sql: string): [string, string][] {
  const [node] = parseScript(sql).map((parsedStatement) => parsedStatement.node)
  if (node?.type !== "CreateTableStmt" || !("columns" in node.body)) return []
  const wordsOf = ({ span }: { span: { offset: number; length: number } }) =>
    sqlWords(sql.slice(span.offset, span.offset + span.length))
  const ofColumns = node.body.columns.flatMap(({ colName, constraints }) =>
    constraints.map(({ constraint }) => ({ constraint, columns: folded(colName.text) })),
  )
  const whole = (node.body.constraints ?? []).map(({ constraint }) => {
    const words = wordsOf(constraint)
    return { constraint, columns: wordsInside(words, words.indexOf("(")).join(" ") }
  })
  return [...ofColumns, ...whole].flatMap(({ constraint, columns }): [string, string][] => {
    const kind = kindOf(constraint.type)
    const words = wordsOf(constraint).join(" ")
    const value = /^(?:collate|generated)$/.test(kind)
      ? words.replaceAll(/^collate binary$|^generated always | virtual$/g, "")
      : (words.match(unusual) ?? []).join(" ")
    return value === "" ? [] : [[`${kind} of ${table} (${columns})`, value]]
  })
}

const unusual =
  /on conflict (?!abort\b)\w+|\bautoincrement\b|\bdesc\b|(?<!not )deferrable initially deferred/g

/** As in `primary key`. */
function kindOf(type: string): string {
  const words = type.replace(/(?:Column|Table)Constraint$/, "").replace("Defer", "ForeignKey")
  return words.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase()
}

function normalizeSql(sql: string): string {
  const words = sqlWords(sql).filter((word) => word !== ";")
  return words.join(" ").replace(/ if not exists /, " ")
}

/** For people: what one has and the other has not, or has otherwise. */
export function describeFactDifferences(database: SchemaFacts, files: SchemaFacts): string[] {
  const lines: string[] = []
  for (const [fact, value] of database) {
    const expected = files.get(fact)
    if (expected === undefined) lines.push(`only in the database: ${shown(fact, value)}`)
    else if (expected !== value) {
      lines.push(
        `${fact}: ${value || "plain"} in the database, ${expected || "plain"} in the files`,
      )
    }
  }
  for (const [fact, value] of files) {
    if (!database.has(fact)) lines.push(`only in the files: ${shown(fact, value)}`)
  }
  return lines
}

function shown(fact: string, value: string): string {
  const isWhole = /^(?:table|index|view|trigger) /.test(fact)
  return isWhole || value === "" ? fact : `${fact} ${value}`
}
