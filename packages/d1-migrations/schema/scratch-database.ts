import { constants, DatabaseSync, type SQLInputValue, type SQLOutputValue } from "node:sqlite"

import { failureOf } from "../failure.ts"
import { effectOf, type Request, type StatementEffect } from "./statement-effect.ts"

export type Row = Record<string, SQLOutputValue>

/** An object of a live database, a row of `sqlite_master`. */
export type SchemaObject = { type: string; name: string; sql: string }

/** Returns whether a database can have rows. Without tables it has nothing to lose. */
export function hasTables(objects: SchemaObject[]): boolean {
  return objects.some(({ type }) => type === "table")
}

/** Selects all objects except the internal tables of SQLite and D1. */
export const readObjects = `SELECT type, name, sql FROM sqlite_master
WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'
ORDER BY rowid`

export type ScratchDatabase = ReturnType<typeof openScratchDatabase>

/**
 * Opens an SQLite database in memory that accepts and rejects statements like D1. SQLite itself reports the effect of
 * a statement, so names in any case, quotes and comments cannot mislead the analysis.
 */
export function openScratchDatabase(content?: Uint8Array) {
  const database = new DatabaseSync(":memory:", {
    enableForeignKeyConstraints: true,
    // Like D1, which reads "a name" as text if no column has that name.
    enableDoubleQuotedStringLiterals: true,
    readBigInts: true,
  })
  if (content === undefined) database.exec("PRAGMA page_size = 512")
  else database.deserialize(content)
  database.function("holds_rows", { deterministic: true }, (sql) => Number(holdsRows(String(sql))))

  /** Authorizer calls while a statement of a migration is compiled; undefined at other times. */
  let authorizerRequests: Request[] | undefined
  // Set only once, because each call re-prepares all compiled statements.
  database.setAuthorizer((action, first, second, _schema, trigger) => {
    if (authorizerRequests === undefined) return constants.SQLITE_OK
    const request = { action, first: first ?? "", second: second ?? "", trigger }
    authorizerRequests.push(request)
    return isRefusedByD1(request) ? constants.SQLITE_DENY : constants.SQLITE_OK
  })
  const schema = database.prepare(
    "SELECT group_concat(type || ' ' || name || ' ' || sql, char(10)) AS text FROM sqlite_master",
  )

  /** Compiles a statement of a migration; `run` executes it. @throws SQLite's error */
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
    /** Runs statements that are not a migration's, without D1's restrictions. */
    exec: (sql: string): void => database.exec(sql),
    rows,
    /** Returns the first column of each row. */
    texts: (sql: string, ...values: SQLInputValue[]): string[] =>
      rows(sql, ...values).map((row) => String(Object.values(row)[0])),
    /** Returns the objects of the schema, oldest first. */
    objects: (): SchemaObject[] =>
      rows(readObjects).map(({ type, name, sql }) => {
        return { type: String(type), name: String(name), sql: String(sql) }
      }),
    /** Returns the whole schema as one text. */
    schema: (): string => String(schema.get()?.["text"]),
    /** Returns why SQLite cannot compile a statement, or undefined if it can. Does not run it. */
    problemOf: (sql: string): string | undefined => failureOf(() => database.prepare(sql)),
    content: () => database.serialize(),
    copy: () => openScratchDatabase(database.serialize()),
    [Symbol.dispose]: () => database.close(),
  }
}

/** D1's limits, tested on workerd 1.20261102.1. D1 also limits a statement to 100,000 bytes. */
const limits = {
  column: 100,
  compoundSelect: 5,
  exprDepth: 100,
  /** Bytes of a text, a blob or a row (developers.cloudflare.com/d1/platform/limits). */
  length: 2_000_000,
  likePatternLength: 50,
  variableNumber: 100,
}

/** Pages of 512 bytes that a statement may add (8 MB). Stops an endless recursion. */
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

/** Runs `act` with D1's limits, then restores the usual limits. */
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
 * Returns whether D1's authorizer rejects a request: explicit transactions, other databases, most PRAGMAs, and
 * internal functions of SQLite (`ALTER TABLE … DROP CONSTRAINT` calls one). Omits cases that change nothing here.
 * Each was tested on workerd 1.20261102.1.
 */
function isRefusedByD1({ action, first, second }: Request): boolean {
  if (action === constants.SQLITE_PRAGMA) return !allowedPragmas.has(first.toLowerCase())
  if (action === constants.SQLITE_FUNCTION) return refusedFunctions.has(second.toLowerCase())
  return refusedActions.has(action)
}

/** D1 rejects all other PRAGMAs. */
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

/** Opens a database with a live schema, without rows. @throws Error with the name of a table that cannot be created */
export function scratchDatabaseOf(objects: SchemaObject[]): ScratchDatabase {
  const scratch = openScratchDatabase()
  for (const { type, name, sql } of objects.toSorted(byDependence)) {
    try {
      scratch.exec(sql)
    } catch (error) {
      // A virtual table has created its own tables already. Failed views and triggers hold no rows.
      const exists = scratch.rows("SELECT 1 FROM sqlite_master WHERE name = ?", name).length > 0
      if (type !== "table" || exists) continue
      throw new Error(`the table ${name} of the live schema cannot be rehearsed`, { cause: error })
    }
  }
  return scratch
}

const order = ["table", "index", "view", "trigger"]

/** Sorts virtual tables before other tables: SQLite then creates the tables that hold their rows. */
function byDependence(schemaObject: SchemaObject, second: SchemaObject): number {
  const byType = order.indexOf(schemaObject.type) - order.indexOf(second.type)
  return byType === 0 ? Number(isVirtual(second)) - Number(isVirtual(schemaObject)) : byType
}

function isVirtual({ sql }: SchemaObject): boolean {
  return /^CREATE\s+VIRTUAL/i.test(sql)
}

/** The number of schemas with cached answers. A file needs the schemas before and after it. */
const mostSchemas = 4

/**
 * Caches the answers of `ask` by schema, also across databases: the schema after a file is the schema before the next.
 * Use it only for answers that depend on nothing but the schema.
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

/** Returns the content table of a full-text table: "" if it is contentless, undefined if it stores its own text. */
export function contentOf(sql: string): string | undefined {
  return /\bcontent\s*=\s*['"`[]?([^'"`\],)]*)/i.exec(sql)?.[1]?.trim()
}

/**
 * Returns whether a full-text table has the only copy of its text. An external-content or fts5vocab table does not: it
 * can be created again at any time.
 */
export function holdsRows(sql: string): boolean {
  return !/\busing\s+fts\dvocab\b/i.test(sql) && (contentOf(sql) ?? "") === ""
}
