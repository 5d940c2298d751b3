import * as z from "zod"

import { Failure } from "../../base/failure.ts"
import type { Api } from "../../provider/api.ts"
import type { Applied } from "../ledger/history.ts"
import { listLedgerTables, readLedger, readObjects, readSidecar } from "../ledger/ledger.ts"
import { ledgerTable, sidecarTable } from "../ledger/own-tables.ts"
import type { SchemaObject } from "../schema/scratch-database.ts"

/** Null where another tool applied the migration, or a version before the column was recorded. */
type AppliedRecord = { bookmark: string | null; oldestWorker: string | null }

export type Ledger = { applied: Applied[]; records: Map<string, AppliedRecord> }

/** What a database has at one moment, whatever other runs do beside this one. */
type Moment = Ledger & { objects: SchemaObject[] }

export type Database = {
  databaseId: string
  /**
   * Rows of one statement. Sent again after a lost answer, so it must read only or change nothing
   * the second time.
   */
  ask(sql: string): Promise<unknown[]>
  /** Rows by the name of their statement, as `ask`; one request, so all see the same moment. */
  askAll<Name extends string>(statements: Record<Name, string>): Promise<Record<Name, unknown[]>>
  /** Sent once. All statements of `sql` take effect, or none. */
  change(sql: string): Promise<void>
  /** Of this moment, for Time Travel. */
  bookmark(): Promise<string>
  /** The ledger as it is now, oldest migration first. */
  applied(): Promise<Applied[]>
  /** The same, and what is recorded of each migration, by name. */
  ledger(): Promise<Ledger>
  /** Its tables, indexes, views and triggers, oldest first. */
  objects(): Promise<SchemaObject[]>
  /** Ledger and objects together. */
  moment(): Promise<Moment>
}

const Results = z.array(
  z.object({ success: z.boolean(), error: z.string().optional(), results: z.array(z.unknown()) }),
)
const Named = z.object({ name: z.string() })
const Bookmark = z.object({ bookmark: z.string().min(1) })
const ObjectRow = z.object({ type: z.string(), name: z.string(), sql: z.string() })
const SidecarRow = z.object({
  name: z.string(),
  sha256: z.string(),
  bookmark: z.string().nullish(),
  oldest_worker: z.string().nullish(),
})

export function openDatabase(options: {
  api: Api
  accountId: string
  databaseId: string
}): Database {
  const { api } = options
  const account = encodeURIComponent(options.accountId)
  const root = `/accounts/${account}/d1/database/${encodeURIComponent(options.databaseId)}`
  const path = `${root}/query`

  const askAll = async <Name extends string>(statements: Record<Name, string>) => {
    const texts = Object.values<string>(statements)
    const results = rowsOf(path, await api.query(path, { sql: texts.join(";\n") }, Results))
    if (results.length !== texts.length) throw tooFew(path, results, `${texts.length}`)
    return byName(statements, results)
  }
  const ask = async (sql: string) => (await askAll({ statement: sql })).statement
  const change = async (sql: string) => {
    const results = rowsOf(path, await api.post(path, { sql }, Results))
    if (results.length === 0) throw tooFew(path, results, "some")
  }

  const ledger = async (): Promise<Ledger> => {
    const tables = (await ask(listLedgerTables)).map((row) => Named.parse(row).name)
    if (tables.length === 0) return emptyLedger
    // In one request: a run that was killed may still be migrating.
    return ledgerIn(await askAll(ledgerQueries(tables)))
  }
  const applied = async () => (await ledger()).applied
  const objects = async () => (await ask(readObjects)).map((row) => ObjectRow.parse(row))
  const moment = async (): Promise<Moment> => {
    const found = await objects()
    const tables = found.filter(({ type }) => type === "table").map(({ name }) => name)
    const own = tables.filter((name) => name === ledgerTable || name === sidecarTable)
    if (own.length === 0) return { ...emptyLedger, objects: found }
    const rows = await askAll({ ...ledgerQueries(own), objects: readObjects })
    return { ...ledgerIn(rows), objects: rows.objects.map((row) => ObjectRow.parse(row)) }
  }
  const bookmark = async () => (await api.get(`${root}/time_travel/bookmark`, Bookmark)).bookmark
  const { databaseId } = options
  return { databaseId, ask, askAll, change, bookmark, applied, ledger, objects, moment }
}

/** What leads back to a moment, with everything that was written since undone. */
export function restoreCommand(databaseId: string, bookmark: string): string {
  return `wrangler d1 time-travel restore ${databaseId} --bookmark=${bookmark}`
}

const emptyLedger: Ledger = { applied: [], records: new Map() }

const noRows = "SELECT 1 WHERE 0"

function ledgerQueries(tables: string[]) {
  return {
    ledger: tables.includes(ledgerTable) ? readLedger : noRows,
    sidecar: tables.includes(sidecarTable) ? readSidecar : noRows,
  }
}

function ledgerIn(rows: { ledger: unknown[]; sidecar: unknown[] }): Ledger {
  const sidecar = rows.sidecar.map((row) => SidecarRow.parse(row))
  const names = rows.ledger.map((row) => Named.parse(row).name)
  return {
    applied: join(names, sidecar),
    records: new Map(
      sidecar.map(({ name, bookmark = null, oldest_worker: oldestWorker = null }) => [
        name,
        { bookmark, oldestWorker },
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

function join(ledger: string[], sidecar: z.infer<typeof SidecarRow>[]): Applied[] {
  const orphan = sidecar.find((row) => !ledger.includes(row.name))
  if (orphan !== undefined) {
    throw new Error(
      `${sidecarTable} records ${orphan.name} as applied but ${ledgerTable} does not: a row was ` +
        `deleted by hand, or a failed request was not undone as a whole. Look whether the database ` +
        `has what the file makes: if it does, put the row back; if it does not, delete the one in ` +
        `${sidecarTable} too.`,
    )
  }
  return ledger.map((name) => ({ name, sha256: sidecar.find((row) => row.name === name)?.sha256 }))
}

/** @throws API_FAILED: D1 may answer 200 although a statement failed. */
function rowsOf(path: string, results: z.infer<typeof Results>): unknown[][] {
  const failed = results.find((result) => !result.success)
  if (failed === undefined) return results.map((result) => result.results)
  const reason = failed.error ?? "a statement failed without a reason"
  const message = `POST ${path}: 200, but success is false: ${reason}`
  throw new Failure("API_FAILED", message, { facts: { lost: true, status: 200 } })
}

/** Read as rows, it would say that the database has nothing, and so nothing to lose. */
function tooFew(path: string, { length }: unknown[], asked: string): Failure {
  const message = `POST ${path}: 200 with rows of ${length} statements for ${asked}`
  return new Failure("API_FAILED", message, { facts: { lost: true, status: 200 } })
}
