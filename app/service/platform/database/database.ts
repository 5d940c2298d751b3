import { getTableColumns, is, sql, SQL } from "drizzle-orm"
import type { BatchItem } from "drizzle-orm/batch"
import { drizzle, type DrizzleD1Database } from "drizzle-orm/d1"
import type { SQLiteTable } from "drizzle-orm/sqlite-core"

/** Without relations: only the authentication library queries them, untyped. */
export type Database = DrizzleD1Database<Record<string, unknown>>

/** @param schema includes the relations that the authentication library joins */
export function createDatabase(
  binding: Parameters<typeof drizzle>[0],
  schema: Record<string, unknown>,
): Database {
  return drizzle(binding, { schema })
}

type Statement = BatchItem<"sqlite">
type Statements = Record<string, Statement | undefined>
type ResultOf<Given> = Given extends Statement ? Given["_"]["result"] : undefined

/** Rows that inserting audit entries returns, for sending their notices. */
type Entry = { letterDue: unknown }[]
type WithoutEntries<Named> = {
  [Name in keyof Named]: ResultOf<Named[Name]> extends Entry ? never : Named[Name]
}
type Results<Named> = { [Name in keyof Named]: ResultOf<Named[Name]> }

/**
 * Sends named statements as one batch, and returns each result under its statement's name. Does not compile with an
 * audit entry: `sendChange` takes those, because their position matters.
 */
export function sendNamed<Named extends Statements>(
  database: Database,
  statements: Named & WithoutEntries<Named>,
): Promise<Results<Named>>
export async function sendNamed(database: Database, statements: Statements) {
  const entries = Object.entries(statements).flatMap(([name, statement]) =>
    statement === undefined ? [] : [{ name, statement }],
  )
  const [first, ...rest] = entries.map(({ statement }) => statement)
  if (first === undefined) throw new Error("nothing to send")
  const results: unknown[] = await database.batch([first, ...rest])
  return Object.fromEntries(entries.map(({ name }, index) => [name, results[index]]))
}

// oxlint-disable-next-line typescript/no-generated-empty-object-type -- results of a phase that is left out
type Empty = Record<never, never>

/**
 * A change, in the order in which D1 runs it. Each statement evaluates its own condition when it runs. Statements with
 * the condition of the change must precede it; statements that check whether it happened must follow. An audit entry
 * must be in one of these two phases: beside the change it does not compile.
 */
type Change<Before, Changing, After> = {
  /** Reads, counts, and audit entries with the condition of the change. */
  before?: Before
  /** The changes. The last statement makes the condition false. */
  change?: Changing & WithoutEntries<Changing>
  /** Reads, and audit entries whose condition is that the change happened. */
  after?: After
}

/** Sends a change as one batch, and returns each result under its statement's name. */
export function sendChange<
  Before extends Statements = Empty,
  Changing extends Statements = Empty,
  After extends Statements = Empty,
>(
  database: Database,
  change: Change<Before, Changing, After>,
): Promise<Results<Before> & Results<Changing> & Results<After>>
export function sendChange(
  database: Database,
  { before, change, after }: Change<Statements, Statements, Statements>,
) {
  return sendNamed(database, { ...before, ...change, ...after })
}

type OrSql<Values> = { [Name in keyof Values]: Values[Name] | SQL }

/**
 * A row for `insert(table).select(…)`, inserted only if the condition holds: `select <values> where
 * <condition>`, with the values in the order in which drizzle names the table's columns.
 */
export function rowIf<Table extends SQLiteTable>(
  table: Table,
  row: OrSql<Table["$inferInsert"]>,
  condition: SQL,
) {
  const rowValues = new Map<string, unknown>(Object.entries(row))
  const values = Object.entries(getTableColumns(table)).map(([name, column]) => {
    const value = rowValues.get(name) ?? column.default ?? null
    return is(value, SQL) ? value : sql.param(value, column)
  })
  return sql`select ${sql.join(values, sql`, `)} where ${condition}`
}

/**
 * Builds a statement once per database, with placeholders for values that differ between requests. Building a
 * statement takes a Worker longer than sending it.
 */
export function preparedOnce<Prepared>(build: (database: Database) => Prepared) {
  const built = new WeakMap<Database, Prepared>()
  return (database: Database) => {
    const prepared = built.get(database)
    if (prepared !== undefined) return prepared
    const statement = build(database)
    built.set(database, statement)
    return statement
  }
}

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

/** Returns a prefixed opaque id with 120 random bits, such as `journal_entry_5k0…`. */
export function createId(prefix: string) {
  const bytes = crypto.getRandomValues(new Uint8Array(24))
  return `${prefix}_${Array.from(bytes, (byte) => alphabet.charAt(byte & 31)).join("")}`
}
