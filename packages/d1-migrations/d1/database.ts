import * as z from "zod"

import { readLedger, recordedIn, type RecordedMigrations, schemaSum } from "../ledger/ledger.ts"
import { type Applied, historyProblems } from "../ledger/migration-status.ts"
import { isOwnTable, type Names, usualNames } from "../names.ts"
import { readObjects, type SchemaObject } from "../schema/scratch-database.ts"
import type { D1 } from "./d1.ts"

/** Fields are null if another tool applied the migration, or an earlier release that did not record them. */
type AppliedRecord = { bookmark: string | null; oldestWorker: string | null }

export type Ledger = { applied: Applied[]; records: Map<string, AppliedRecord> }

/** A consistent snapshot of a database, even while other runs change it. */
type Moment = Ledger & {
  objects: SchemaObject[]
  /** The sum of the schema, with which a request detects changes. */
  schema: number
}

/** A database and its record of migrations. */
export type Database = Omit<D1, "query"> & {
  names: Names
  /**
   * Returns the rows of one statement. Repeats the request after a lost response, so the statement must be read-only
   * or idempotent.
   */
  ask(sql: string): Promise<unknown[]>
  /** Returns the rows of several statements by name, like `ask`. One request, so all see the same state. */
  askAll<Name extends string>(statements: Record<Name, string>): Promise<Record<Name, unknown[]>>
  /** Reads the record of migrations, even if it is inconsistent. */
  recorded(): Promise<RecordedMigrations>
  /** Reads the current ledger, oldest migration first. @throws Error if it is inconsistent */
  applied(): Promise<Applied[]>
  /** Reads the current ledger with the record of each migration, by name. */
  ledger(): Promise<Ledger>
  /** Reads the tables, indexes, views and triggers, oldest first, without the ledger's tables. */
  objects(): Promise<SchemaObject[]>
  /** Reads all objects, including the ledger's tables. */
  allObjects(): Promise<SchemaObject[]>
  /** Reads the ledger, the objects and the sum of the schema together. */
  moment(): Promise<Moment>
}

const ObjectRow = z.object({ type: z.string(), name: z.string(), sql: z.string() })
const SumRow = z.object({ sum: z.number() })

export function openDatabase(d1: D1, names: Names = usualNames): Database {
  async function askAll<Name extends string>(
    statements: Record<Name, string>,
  ): Promise<Record<Name, unknown[]>>
  async function askAll(statements: Record<string, string>) {
    const results = await d1.query(Object.values(statements))
    // D1 returns one list of rows per statement, in their order.
    const entries = Object.keys(statements).map((name, index) => [name, results[index] ?? []])
    return Object.fromEntries(entries)
  }
  const ask = async (sql: string) => (await askAll({ statement: sql })).statement

  const withoutOwn = (objects: SchemaObject[]) =>
    objects.filter(({ name }) => !isOwnTable(name, names))
  const readState = async (tables: string[]) => {
    const sum = `SELECT ${schemaSum(names)} AS sum`
    // A single request, because a run that was killed may still be migrating.
    const rows = await askAll({ ...readLedger(names, tables), objects: readObjects, sum })
    const objects = rows.objects.map((row) => ObjectRow.parse(row))
    return {
      recorded: recordedIn(rows),
      objects,
      sums: rows.sum.map((row) => SumRow.parse(row).sum),
    }
  }
  const read = async () => {
    const state = await readState([])
    const tables = state.objects.filter(({ type }) => type === "table").map(({ name }) => name)
    return tables.some((name) => isOwnTable(name, names)) ? readState(tables) : state
  }
  const moment = async (): Promise<Moment> => {
    const { recorded, objects, sums } = await read()
    return { ...ledgerOf(recorded, names), objects: withoutOwn(objects), schema: sums[0] ?? 0 }
  }
  const allObjects = async () => (await ask(readObjects)).map((row) => ObjectRow.parse(row))
  return {
    databaseId: d1.databaseId,
    names,
    ask,
    askAll,
    change: (sql) => d1.change(sql),
    bookmark: () => d1.bookmark(),
    applied: async () => (await moment()).applied,
    recorded: async () => (await read()).recorded,
    ledger: async () => {
      const { applied, records } = await moment()
      return { applied, records }
    },
    allObjects,
    objects: async () => withoutOwn(await allObjects()),
    moment,
  }
}

function ledgerOf({ applied, orphans }: RecordedMigrations, names: Names): Ledger {
  if (orphans.length > 0) {
    throw new Error(historyProblems([], { applied: [], orphans }, names).join("\n"))
  }
  const records = applied.map(({ name, record }): [string, AppliedRecord] => [
    name,
    { bookmark: record?.bookmark ?? null, oldestWorker: record?.oldest_worker ?? null },
  ])
  return {
    applied: applied.map(({ name, record }) => ({ name, sha256: record?.sha256 })),
    records: new Map(records),
  }
}
