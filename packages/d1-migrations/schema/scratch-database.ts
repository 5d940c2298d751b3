import { constants, DatabaseSync, type SQLInputValue, type SQLOutputValue } from "node:sqlite"

import { failureOf } from "../failure.ts"
import { effectOf, type Request, type StatementEffect } from "./statement-effect.ts"

export type Row = Record<string, SQLOutputValue>

/** An object of a live database, a row of `sqlite_master`. */
export type SchemaObject = { type: string; name: string; sql: string }

/** Whether a database can have rows: one without tables has nothing to lose. */
export function hasTables(objects: SchemaObject[]): boolean {
  return objects.some(({ type }) => type === "table")
}

/** Everything that a migration or a person made, to rehearse on: not what SQLite and D1 keep. */
export const readObjects = `SELECT type, name, sql FROM sqlite_master
WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'
ORDER BY rowid`

export type ScratchDatabase = ReturnType<typeof openScratchDatabase>

/**
 * An SQLite database in memory that takes and refuses statements as D1 does. SQLite itself decides
 * what a statement does: names in any case, quotes and comments cannot mislead it.
 */
export function openScratchDatabase(content?: Uint8Array) {
  const database = new DatabaseSync(":memory:", {
    enableForeignKeyConstraints: true,
    // As in D1, where "a name" that is no column is text.
    enableDoubleQuotedStringLiterals: true,
    readBigInts: true,
  })
  if (content === undefined) database.exec("PRAGMA page_size = 512")
  else database.deserialize(content)
  database.function("holds_rows", { deterministic: true }, (sql) => Number(holdsRows(String(sql))))

  /** Questions of SQLite while a statement of a migration is compiled. */
  let authorizerRequests: Request[] | undefined
  // Set once: each time it goes through all statements that were compiled before.
  database.setAuthorizer((action, first, second, _schema, trigger) => {
    if (authorizerRequests === undefined) return constants.SQLITE_OK
    const request = { action, first: first ?? "", second: second ?? "", trigger }
    authorizerRequests.push(request)
    return isRefusedByD1(request) ? constants.SQLITE_DENY : constants.SQLITE_OK
  })
  const schema = database.prepare(
    "SELECT group_concat(type || ' ' || name || ' ' || sql, char(10)) AS text FROM sqlite_master",
  )

  /** A statement of a migration; `run` carries it out. @throws what SQLite says */
  const prepare = (sql: string): { effect: StatementEffect; run: () => void } => {
    const requests: Request[] = []
    authorizerRequests = requests
    try {
      const statement = withinLimits(database, () => database.prepare(sql))
      const effect = effectOf(requests)
      const act = () => void withinLimits(database, () => statement.run())
      const run = () => withinPages(database, act)
      return { effect, run }
    } finally {
      authorizerRequests = undefined
    }
  }

  const rows = (sql: string, ...values: SQLInputValue[]): Row[] =>
    database.prepare(sql).all(...values)
  return {
    prepare,
    /** Not a migration's: nothing is refused. */
    exec: (sql: string): void => database.exec(sql),
    rows,
    /** The first column of each row. */
    texts: (sql: string, ...values: SQLInputValue[]): string[] =>
      rows(sql, ...values).map((row) => String(Object.values(row)[0])),
    /** The objects of its schema, oldest first. */
    objects: (): SchemaObject[] =>
      rows(readObjects).map(({ type, name, sql }) => {
        return { type: String(type), name: String(name), sql: String(sql) }
      }),
    /** All of it in one text. */
    schema: (): string => String(schema.get()?.["text"]),
    /** Why SQLite cannot compile a statement, which is not run. */
    problemOf: (sql: string): string | undefined => failureOf(() => database.prepare(sql)),
    content: () => database.serialize(),
    copy: () => openScratchDatabase(database.serialize()),
    [Symbol.dispose]: () => database.close(),
  }
}

/** D1's limits, tried on workerd 1.20261102.1; a statement also has at most 100,000 bytes. */
const limits = {
  column: 100,
  compoundSelect: 5,
  exprDepth: 100,
  /** Bytes of a text, a blob or a row (developers.cloudflare.com/d1/platform/limits). */
  length: 2_000_000,
  likePatternLength: 50,
  variableNumber: 100,
}

/** Pages of 512 bytes that a statement may add, 8 MB: a recursion without an end would add them for ever. */
const morePages = 16_384
const anyPages = 4_294_967_294

function withinPages<Value>(database: DatabaseSync, act: () => Value): Value {
  const pages = Number(database.prepare("PRAGMA page_count").get()?.["page_count"])
  database.exec(`PRAGMA max_page_count = ${pages + morePages}`)
  try {
    return act()
  } finally {
    database.exec(`PRAGMA max_page_count = ${anyPages}`)
  }
}

/** Applies them to a migration's own statements only. */
function withinLimits<Value>(database: DatabaseSync, act: () => Value): Value {
  const { column, compoundSelect, exprDepth, length, likePatternLength, variableNumber } =
    database.limits
  const usual = { column, compoundSelect, exprDepth, length, likePatternLength, variableNumber }
  Object.assign(database.limits, limits)
  try {
    return act()
  } finally {
    Object.assign(database.limits, usual)
  }
}

/**
 * Tells what D1's authorizer refuses, if that would change the outcome here: transactions of the
 * script's own, other databases, most PRAGMAs, and functions that are SQLite's own
 * (`ALTER TABLE … DROP CONSTRAINT` calls one). Each was tried on workerd 1.20261102.1.
 */
function isRefusedByD1({ action, first, second }: Request): boolean {
  if (action === constants.SQLITE_PRAGMA) return !allowedPragmas.has(first.toLowerCase())
  if (action === constants.SQLITE_FUNCTION) return refusedFunctions.has(second.toLowerCase())
  return refusedActions.has(action)
}

/** All others are refused. */
const allowedPragmas = new Set([
  "case_sensitive_like",
  "data_version",
  "defer_foreign_keys",
  "foreign_key_check",
  "foreign_key_list",
  "foreign_keys",
  "function_list",
  "ignore_check_constraints",
  "index_info",
  "index_list",
  "index_xinfo",
  "legacy_alter_table",
  "module_list",
  "optimize",
  "pragma_list",
  "quick_check",
  "recursive_triggers",
  "reverse_unordered_selects",
  "table_info",
  "table_list",
  "table_xinfo",
])

const refusedActions = new Set([
  constants.SQLITE_TRANSACTION,
  constants.SQLITE_SAVEPOINT,
  constants.SQLITE_ATTACH,
  constants.SQLITE_DETACH,
  constants.SQLITE_CREATE_TEMP_TABLE,
  constants.SQLITE_CREATE_TEMP_VIEW,
  constants.SQLITE_CREATE_TEMP_TRIGGER,
  constants.SQLITE_CREATE_TEMP_INDEX,
])
const refusedFunctions = new Set(["sqlite_drop_constraint", "load_extension"])

/** The schema of a live database without its rows. @throws Error naming a table it cannot have */
export function scratchDatabaseOf(objects: SchemaObject[]): ScratchDatabase {
  const scratch = openScratchDatabase()
  for (const { type, name, sql } of objects.toSorted(byDependence)) {
    try {
      scratch.exec(sql)
    } catch (error) {
      // A virtual table makes its own tables; a view or a trigger holds no rows.
      const exists = scratch.rows("SELECT 1 FROM sqlite_master WHERE name = ?", name).length > 0
      if (type !== "table" || exists) continue
      throw new Error(`the table ${name} of the live schema cannot be rehearsed`, { cause: error })
    }
  }
  return scratch
}

const order = ["table", "index", "view", "trigger"]

/** Virtual tables first: SQLite makes the tables that hold their rows. */
function byDependence(schemaObject: SchemaObject, second: SchemaObject): number {
  const byType = order.indexOf(schemaObject.type) - order.indexOf(second.type)
  return byType === 0 ? Number(isVirtual(second)) - Number(isVirtual(schemaObject)) : byType
}

function isVirtual({ sql }: SchemaObject): boolean {
  return /^CREATE\s+VIRTUAL/i.test(sql)
}

/** The number of schemas with cached answers: before and after a file. */
const mostSchemas = 4

/**
 * Answers a question again without asking, as long as a database has a schema, or another database has the
 * same: each file finds what the previous file left. Only for what nothing but the schema decides.
 */
export function bySchema<Answer>(
  ask: (database: ScratchDatabase) => Answer,
): (database: ScratchDatabase) => Answer {
  const answers = new Map<string, Answer>()
  return (database) => {
    const schema = database.schema()
    const answer = answers.get(schema) ?? ask(database)
    answers.delete(schema)
    answers.set(schema, answer)
    for (const oldest of [...answers.keys()].slice(0, -mostSchemas)) answers.delete(oldest)
    return answer
  }
}

/** The table that has the text of a full-text table: "" if none stores it, undefined if it stores its own. */
export function contentOf(sql: string): string | undefined {
  return /\bcontent\s*=\s*['"`[]?([^'"`\],)]*)/i.exec(sql)?.[1]?.trim()
}

/**
 * A full-text table over the content of another table, or a list of its words, can be made again at any
 * time; with its own content, or with none, it holds the only copy.
 */
export function holdsRows(sql: string): boolean {
  return !/\busing\s+fts\dvocab\b/i.test(sql) && (contentOf(sql) ?? "") === ""
}
