import type { Database } from "@accounts-stack/d1-migrations/d1"
import {
  quoteName,
  type SchemaObject,
  tablesOf,
  virtualTablesOf,
  balanced,
} from "@accounts-stack/d1-migrations/schema"
import * as z from "zod"

import type { DatabasePlace } from "../../deploy/api.ts"
import { isAlive, shortHash, machineName } from "../process/is-alive.ts"
import {
  createDatabase,
  deleteDatabase,
  listDatabases,
  type ListedDatabase,
  readDetails,
} from "./d1-account.ts"

/** Age (ms) from which a scratch database of another machine counts as left by a killed run. */
const lifetime = 6 * 60 * 60 * 1000

type ScratchD1 = AsyncDisposable & DatabasePlace

/**
 * Creates a temporary database in the jurisdiction of a stack's database. Its name identifies that database, the
 * machine and the process, so that a later run can delete it after a kill.
 */
export async function createScratchD1(place: DatabasePlace): Promise<ScratchD1> {
  const { jurisdiction } = await readDetails(place)
  const databaseId = await createDatabase(place, {
    name: scratchNameOf(place, process.pid),
    ...(jurisdiction ? { jurisdiction } : {}),
  })
  const scratch = { ...place, databaseId }
  return { ...scratch, [Symbol.asyncDispose]: () => deleteDatabase(scratch) }
}

/** Deletes scratch databases that killed runs left, and returns their names. */
export async function sweepScratchD1(place: DatabasePlace): Promise<string[]> {
  const scratchDatabases = (await listDatabases(place)).filter((database) =>
    isLeft(place, database),
  )
  for (const { uuid } of scratchDatabases) await deleteDatabase({ ...place, databaseId: uuid })
  return scratchDatabases.map(({ name }) => name)
}

function isLeft(place: DatabasePlace, { name, created_at: createdAt }: ListedDatabase): boolean {
  const [, prefix, host, pid] = /^(accounts-scratch-\w{8})-(\w{8})-(\d+)$/.exec(name) ?? []
  if (prefix !== prefixOf(place)) return false
  if (host === shortHash(machineName())) return Number(pid) === process.pid || !isAlive(Number(pid))
  return Date.now() - Date.parse(createdAt) > lifetime
}

/** Returns the name of a scratch database of a process on this machine. */
export function scratchNameOf(place: Pick<DatabasePlace, "databaseId">, pid: number): string {
  return `${prefixOf(place)}-${shortHash(machineName())}-${pid}`
}

function prefixOf({ databaseId }: Pick<DatabasePlace, "databaseId">): string {
  return `accounts-scratch-${shortHash(databaseId)}`
}

/** Number of rows, and a sum over the length and characters of every value. */
export type TableContent = { rows: number; sum: number }

const Content = z.object({ rows: z.number(), sum: z.number() })

/** Reads the row count and checksum of every table, by name. */
export async function readContents(database: Database): Promise<Map<string, TableContent>> {
  const contents = new Map<string, TableContent>()
  const objects = await database.allObjects()
  const ordinary = tablesOf(objects).map(({ name, columns }) => {
    return { name, columns: columns.map((column) => column.name) }
  })
  const virtual = virtualTablesOf(objects).filter(({ keeps }) => keeps === "rows")
  // Other tables may refer to full-text rows by their rowids.
  const numbered = virtual.map(({ name, columns }) => ({ name, columns: ["rowid", ...columns] }))
  for (const { name, columns } of [...ordinary, ...numbered]) {
    const sum = `coalesce(sum((${rowSum(columns)}) % 1000003), 0)`
    const [row] = await database.ask(
      `SELECT count(*) AS "rows", ${sum} AS "sum" FROM ${quoteName(name)}`,
    )
    contents.set(name, Content.parse(row))
  }
  return contents
}

/** Returns comparable texts of all objects, sorted, without the IF NOT EXISTS that an export adds. */
export function normalizeObjects(objects: SchemaObject[]): string[] {
  return objects
    .map(({ type, name, sql }) => `${type} ${name} ${sql.replace(/IF NOT EXISTS /i, "")}`)
    .toSorted()
}

/**
 * SQL of a number for a row: from the length and some characters of each value, or an integer itself.
 * D1 has no hash function. The square depends on all columns together, so swapping values between rows
 * changes the sum. It stays below 2^63 for nine million rows.
 */
function rowSum(columns: string[]): string {
  const parts = columns.map((name, index) => {
    const value = quoteName(name)
    const characters = `length(${value}) * 7 + unicode(${value}) * 31 + unicode(substr(${value}, -1)) * 131 + unicode(substr(${value}, length(${value}) / 2 + 1)) * 1031`
    return `coalesce(iif(typeof(${value}) = 'integer', ${value} % 999983, ${characters}), 5) * ${2 * index + 3}`
  })
  const row = balanced(parts, "+")
  return `((${row}) % 999983) * ((${row}) % 999983)`
}
