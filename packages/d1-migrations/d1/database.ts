import * as z from "zod"

import { readLedger } from "../ledger/ledger.ts"
import { type Applied, historyProblems } from "../ledger/migration-status.ts"
import { recordedIn, type RecordedMigrations } from "../ledger/recorded-migrations.ts"
import { isOwnTable, type Names, usualNames } from "../names.ts"
import { readObjects, type SchemaObject } from "../schema/scratch-database.ts"
import type { D1 } from "./d1.ts"

/** Null where another tool applied the migration, or a version before the column was recorded. */
type AppliedRecord = { bookmark: string | null; oldestWorker: string | null }

export type Ledger = { applied: Applied[]; records: Map<string, AppliedRecord> }

/** What a database has at one moment, whatever other runs do beside this one. */
type Moment = Ledger & { objects: SchemaObject[] }

/** A database and what it says of its migrations. */
export type Database = Omit<D1, "query"> & {
  names: Names
  /**
   * Rows of one statement. Sent again after a lost answer, so it must read only or change nothing
   * the second time.
   */
  ask(sql: string): Promise<unknown[]>
  /** Rows by the name of their statement, as `ask`; one request, so all see the same moment. */
  askAll<Name extends string>(statements: Record<Name, string>): Promise<Record<Name, unknown[]>>
  /** What it says of its migrations, also where that does not fit together. */
  recorded(): Promise<RecordedMigrations>
  /** The ledger as it is now, oldest migration first. @throws Error where that does not fit */
  applied(): Promise<Applied[]>
  /** The same, and what is recorded of each migration, by name. */
  ledger(): Promise<Ledger>
  /** Its tables, indexes, views and triggers, oldest first, without the ledger's tables. */
  objects(): Promise<SchemaObject[]>
  /** The same with them. */
  allObjects(): Promise<SchemaObject[]>
  /** Ledger and objects together. */
  moment(): Promise<Moment>
}

const ObjectRow = z.object({ type: z.string(), name: z.string(), sql: z.string() })

export function openDatabase(d1: D1, names: Names = usualNames): Database {
  const askAll = async <Name extends string>(statements: Record<Name, string>) =>
    byName(statements, await d1.query(Object.values<string>(statements)))
  const ask = async (sql: string) => (await askAll({ statement: sql })).statement

  const objectsIn = (rows: unknown[]) => rows.map((row) => ObjectRow.parse(row))
  const isForeign = ({ name }: SchemaObject) => !isOwnTable(name, names)
  const allObjects = async () => objectsIn(await ask(readObjects))
  const read = async () => {
    const everyObject = await allObjects()
    const tables = everyObject.filter(({ type }) => type === "table").map(({ name }) => name)
    if (!tables.some((name) => isOwnTable(name, names))) {
      return { recorded: { applied: [], orphans: [] }, objects: everyObject }
    }
    // In one request: a run that was killed may still be migrating.
    const rows = await askAll({ ...readLedger(names, tables), objects: readObjects })
    return { recorded: recordedIn(rows), objects: objectsIn(rows.objects).filter(isForeign) }
  }
  const ledger = async () => ledgerOf((await read()).recorded, names)
  return {
    databaseId: d1.databaseId,
    names,
    ask,
    askAll,
    change: (sql) => d1.change(sql),
    bookmark: () => d1.bookmark(),
    applied: async () => (await ledger()).applied,
    recorded: async () => (await read()).recorded,
    ledger,
    allObjects,
    objects: async () => (await allObjects()).filter(isForeign),
    async moment() {
      const { recorded, objects } = await read()
      return { ...ledgerOf(recorded, names), objects }
    },
  }
}

function ledgerOf({ applied, orphans }: RecordedMigrations, names: Names): Ledger {
  if (orphans.length > 0) {
    throw new Error(historyProblems([], { applied: [], orphans }, names).join("\n"))
  }
  return {
    applied: applied.map(({ name, record }) => ({ name, sha256: record?.sha256 })),
    records: new Map(
      applied.map(({ name, record }) => [
        name,
        { bookmark: record?.bookmark ?? null, oldestWorker: record?.oldest_worker ?? null },
      ]),
    ),
  }
}

function byName<Name extends string>(
  statements: Record<Name, string>,
  results: unknown[][],
): Record<Name, unknown[]>
/** D1 answers one list of rows per statement, in their order. */
function byName(statements: Record<string, string>, results: unknown[][]) {
  const names = Object.keys(statements)
  return Object.fromEntries(names.map((name, index) => [name, results[index] ?? []]))
}
