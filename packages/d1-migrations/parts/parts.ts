import {
  firingStatements,
  isRowid,
  isSameName,
  quoteName,
  readDefinitions,
  readSchema,
  type Table,
} from "../schema/schema.ts"
import { bySchema, type ScratchDatabase } from "../schema/scratch-database.ts"
import { folded } from "../sql/folded.ts"
import { definitionsIn, sqlWords, wordsInside } from "../sql/words.ts"

/** A view, or a part of a table's definition such as an index or a foreign key. */
export type Part = {
  kind:
    | "index"
    | "trigger"
    | "view"
    | "unique"
    | "reference"
    | "check"
    | "collation"
    | "default"
    | "sequence"
  /** The name in a declaration: the SQL name, or `table.column`. */
  name: string
  table: string
  /** The columns that the part needs: dropping one also drops the part. */
  columns: string[]
  /** Normalized text: parts with the same text are the same. */
  definition: string
  /** The definition that replaces a lost part with the same name or columns. */
  now?: string | undefined
}

/** Reads the parts of all tables, and all views. */
export const readParts = bySchema((database): Part[] => {
  const objects = readDefinitions(database)
  const definitions = new Map(objects.map(({ type, name, sql }) => [`${type} ${name}`, sql]))
  const parts = objects.flatMap(({ type, name, table, sql }): Part[] => {
    if (type === "view") return [{ kind: "view", name, table, columns: [], definition: "" }]
    if (type !== "trigger") return []
    return [{ kind: "trigger", name, table, columns: [], definition: normalized(sql) }]
  })
  return [
    ...parts,
    ...readSchema(database).flatMap((table) => {
      const sql = definitions.get(`table ${table.name}`) ?? ""
      return [
        indexesOf(table, definitions),
        numberKeyOf(table),
        referencesOf(table),
        checksIn(sqlWords(sql), table.name).map((definition): Part => {
          const text = ` ${definition.replaceAll('"', "")} `
          const columns = table.columns.flatMap(({ name }) =>
            text.includes(` ${folded(name)} `) ? [name] : [],
          )
          return { kind: "check", name: table.name, table: table.name, columns, definition }
        }),
        table.virtual ? [] : collationsOf(table, sql),
        table.columns.flatMap(({ name, hasDefault }) =>
          hasDefault ? [columnPart("default", table.name, name, "")] : [],
        ),
      ].flat()
    }),
  ]
})

/** Selects the parts of `tables`, and all views with their triggers. */
export function partsOf(parts: Part[], tables: Iterable<string>): Part[] {
  const meant = new Set([...tables].map(folded))
  for (const { kind, name } of parts) if (kind === "view") meant.add(folded(name))
  return parts.filter(({ table }) => meant.has(folded(table)))
}

function normalized(sql: string): string {
  return sqlWords(sql).join(" ")
}

function indexesOf({ name: table, indexes }: Table, definitions: Map<string, string>): Part[] {
  return indexes.map(({ name, origin, unique, partial, columns: parts }) => {
    const columns = parts.flatMap((part) => part.name ?? [])
    const isPlain = columns.length === parts.length && !partial
    const sql = definitions.get(`index ${name}`) ?? ""
    const condition = isPlain ? "" : normalized(sql.slice(sql.indexOf("(")))
    const list = parts.map((part) => folded(`${part.name ?? "?"} ${part.collation}`))
    const definition = `${(unique ? list.toSorted() : list).join(", ")} ${condition}`.trim()
    const indexName = origin === "c" ? name : `${table}.${columns.join(",")}`
    const kind = unique ? ("unique" as const) : ("index" as const)
    return { kind, name: indexName, table, columns, definition }
  })
}

/** Returns an INTEGER PRIMARY KEY as a unique part: it is the rowid, and has no index. */
function numberKeyOf(table: Table): Part[] {
  const key = table.columns.filter(({ name }) => isRowid(table, name))
  return key.map(({ name }) => columnPart("unique", table.name, name, folded(`${name} binary`)))
}

function columnPart(kind: Part["kind"], table: string, name: string, definition: string): Part {
  return { kind, name: `${table}.${name}`, table, columns: [name], definition }
}

const active = new Set(["CASCADE", "SET NULL", "SET DEFAULT", "RESTRICT"])

function referencesOf({ name: table, foreignKeys }: Table): Part[] {
  return foreignKeys.map(({ columns, parent, onDelete, onUpdate }) => {
    const actions = [
      active.has(onDelete) ? `ON DELETE ${onDelete}` : "",
      active.has(onUpdate) ? `ON UPDATE ${onUpdate}` : "",
    ]
    const definition = [folded(parent), ...actions].join("|")
    return { kind: "reference", name: `${table}.${columns.join(",")}`, table, columns, definition }
  })
}

function collationsOf({ name: table, columns }: Table, sql: string): Part[] {
  return definitionsIn(sqlWords(sql)).definitions.flatMap(([first = "", ...words]) => {
    const column = columns.find(({ name }) => isSameName(name, first))
    const collation = words[words.indexOf("collate") + 1]?.toUpperCase() ?? ""
    const isPlain = !words.includes("collate") || collation === "BINARY"
    // A generated column compares as its expression.
    if (column === undefined || column.generated || isPlain) return []
    return [columnPart("collation", table, column.name, collation)]
  })
}

type Comparison = {
  before: Part[]
  after: Part[]
  /** Returns the current name of an original table; undefined if it was dropped. */
  nameNow: (table: string) => string | undefined
  /** Returns the current name of an original column; undefined if it was dropped. */
  columnNow: (table: string, column: string) => string | undefined
}

/** Finds original parts that are missing although their table and columns remain. */
export function lostParts(comparison: Comparison): Part[] {
  const { before, after, nameNow, columnNow } = comparison
  const lost = before.filter((part) => {
    const { kind, name, table } = part
    const now = nameNow(table)
    if (now === undefined) return false
    const columns = part.columns.map((column) => columnNow(table, column))
    if (columns.some((column) => column === undefined)) return false
    const parts = after.filter(
      (candidate) => candidate.kind === kind && isSameName(candidate.table, now),
    )
    switch (kind) {
      case "view":
      case "trigger":
        return !after.some(
          (candidate) => candidate.kind === kind && isSameName(candidate.name, name),
        )
      case "sequence":
        return !parts.some(({ definition }) => Number(definition) >= Number(part.definition))
      case "check":
        return (
          !parts.some(
            (candidate) => renamed(candidate.definition, part, columns) === part.definition,
          ) &&
          parts.length <
            before.filter((sibling) => sibling.kind === kind && sibling.table === table).length
        )
      case "index":
        return !after.some(
          (candidate) =>
            (candidate.kind === "index" || candidate.kind === "unique") &&
            isSameName(candidate.table, now) &&
            ((candidate.kind === "index" &&
              renamed(candidate.definition, part, columns).startsWith(part.definition)) ||
              (columns.length > 0 &&
                columns.every((column, at) =>
                  isSameName(candidate.columns[at] ?? "", column ?? ""),
                ))),
        )
      case "unique":
        return !parts.some((candidate) =>
          isWithin(renamed(candidate.definition, part, columns), part.definition),
        )
      case "reference":
        if (nameNow(part.definition.split("|")[0] ?? "") === undefined) return false
        return !parts.some(
          (candidate) =>
            folded(candidate.columns.join()) === folded(columns.join()) &&
            keepsActions(part, candidate, nameNow),
        )
      case "collation":
      case "default":
        return !parts.some(
          (candidate) =>
            isSameName(candidate.columns[0] ?? "", columns[0] ?? "") &&
            candidate.definition === part.definition,
        )
      default:
        return kind satisfies never
    }
  })
  return lost.map((part) => Object.assign({}, part, { now: replacement(part, comparison) }))
}

/** The definition that replaces a unique key or a collation. */
function replacement(
  { kind, name, table, columns }: Part,
  { after, nameNow, columnNow }: Comparison,
): string | undefined {
  if (kind !== "collation" && kind !== "unique") return undefined
  const names = columns.map((column) => columnNow(table, column) ?? "")
  const parts = after.filter(
    (part) => part.kind === kind && isSameName(part.table, nameNow(table) ?? ""),
  )
  const isOfAll = (part: Part) =>
    names.every((column) => part.columns.some((partColumn) => isSameName(partColumn, column)))
  const match = parts.find((part) => isSameName(part.name, name)) ?? parts.find(isOfAll)
  return match?.definition ?? (kind === "collation" ? "BINARY" : undefined)
}

/** Returns whether all columns of a unique key are in a wider key, which is therefore at most as strict. */
export function isWithin(definition: string, wider: string): boolean {
  const list = wider.split(", ")
  return definition.split(", ").every((term) => list.includes(term))
}

/** Returns a current definition with the original column names. */
function renamed(definition: string, { columns }: Part, now: (string | undefined)[]): string {
  return columns.reduce((text, column, index) => {
    const currentName = folded(now[index] ?? column)
    return text.replaceAll(currentName, folded(column))
  }, definition)
}

/** A different action is a choice; only a missing action is a loss. */
function keepsActions(part: Part, is: Part, nameNow: Comparison["nameNow"]): boolean {
  const [parent = "", ...actions] = part.definition.split("|")
  const [now = "", ...currentActions] = is.definition.split("|")
  const target = nameNow(parent) ?? parent
  return (
    isSameName(target, now) &&
    actions.every(
      (action, index) =>
        action === "" || action.endsWith("RESTRICT") || currentActions[index] !== "",
    )
  )
}

/** Returns the words of a table's definition; empty if the table does not exist. */
export function definitionOf(database: ScratchDatabase, table: string): string[] {
  const tables = "SELECT sql FROM sqlite_master WHERE type = 'table'"
  const [sql = ""] = database.texts(`${tables} AND name = ? COLLATE NOCASE`, table)
  return sqlWords(sql)
}

/** Returns whether a table has AUTOINCREMENT: it never reuses the rowid of a deleted row. */
export function isCounting(database: ScratchDatabase, table: string): boolean {
  return definitionOf(database, table).includes("autoincrement")
}

/** Returns the conditions of a table's CHECK constraints. */
export function checksIn(words: string[], table: string): string[] {
  // SQLite writes the new name of a renamed table into its checks.
  const prefix = `${folded(table)} . `
  return words.flatMap((word, index) =>
    word === "check"
      ? wordsInside(words, index + 1)
          .join(" ")
          .replaceAll(prefix, "")
      : [],
  )
}

/** Finds views and triggers that do not compile, so that statements which use them fail. */
export function brokenParts(database: ScratchDatabase): Part[] {
  const objects = readDefinitions(database)
  const triggered = new Set(objects.flatMap(({ type, table }) => (type === "trigger" ? table : [])))
  const part = (kind: Part["kind"], name: string, table: string, definition: string): Part => {
    return { kind, name, table, columns: [], definition }
  }
  const views = objects
    .filter(({ type }) => type === "view")
    .flatMap(({ name }) => {
      const reason = database.problemOf(`SELECT * FROM ${quoteName(name)}`)
      return reason === undefined ? [] : [part("view", name, name, reason)]
    })
  const triggers = [...triggered].flatMap((table) => {
    const isTable = objects.some(({ type, name }) => type === "table" && name === table)
    const tries = isTable ? firingStatements(database, table) : []
    const reason = tries
      .map((sql) => database.problemOf(sql))
      .find((problem) => problem !== undefined)
    const trigger =
      objects.find((object) => object.type === "trigger" && object.table === table)?.name ?? table
    return reason === undefined ? [] : [part("trigger", trigger, table, reason)]
  })
  return [...views, ...triggers]
}
