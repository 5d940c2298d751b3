import { createWriteStream } from "node:fs"
import { appendFile } from "node:fs/promises"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"

import type { Database } from "@accounts-stack/d1-migrations/d1"
import {
  quoteName,
  rebuilding,
  type SchemaObject,
  virtualTablesOf,
  type VirtualTable,
} from "@accounts-stack/d1-migrations/schema"
import * as z from "zod"

import { Failure } from "../../../base/failure.ts"
import type { DatabasePlace } from "../../../deploy/api.ts"
import { openDatabase } from "../../../environment/own-names.ts"
import { exportDump } from "../d1-account.ts"

type Exported = {
  bookmark: string
  /** Full-text tables whose texts nobody keeps: they come back empty. */
  wordsOnly: string[]
}

/**
 * Writes all that a database holds to a new file. D1 refuses to export virtual tables, so it exports
 * what is beside them, by name, and their definitions and rows are read; not at the same moment.
 */
export async function exportWhole(
  place: DatabasePlace,
  { file, signal }: { file: string; signal: AbortSignal },
): Promise<Exported> {
  const database = openDatabase(place)
  const objects = await database.allObjects()
  const virtual = virtualTablesOf(objects)
  const names = virtual.length === 0 ? undefined : namesBeside(objects, virtual)
  const { url, bookmark } = await exportDump(place, { signal, names })
  await download(url, file, signal)
  for (const table of virtual) {
    await appendFile(file, `${table.sql};\n`)
    if (table.keeps === "rows") {
      for await (const lines of rowsOf(database, table)) {
        signal.throwIfAborted()
        await appendFile(file, lines)
      }
    }
    const again = rebuilding(table)
    if (again !== undefined) await appendFile(file, `${again}\n`)
  }
  const wordsOnly = virtual.filter(({ keeps }) => keeps === "words").map(({ name }) => name)
  return { bookmark, wordsOnly }
}

/** The numbers that AUTOINCREMENT has given are exported as a table, too. */
function namesBeside(objects: SchemaObject[], virtual: VirtualTable[]): string[] {
  const left = new Set(virtual.flatMap(({ name, own }) => [name, ...own]))
  return [...objects.map(({ name }) => name).filter((name) => !left.has(name)), "sqlite_sequence"]
}

const Row = z.object({ n: z.string(), line: z.string() })

/** Rows in one answer: of texts, which may be long. */
const page = 200

async function* rowsOf(database: Database, { name, columns }: VirtualTable) {
  const list = ["rowid", ...columns.map(quoteName)]
  const values = ["quote(rowid)", ...columns.map((column) => literalOf(quoteName(column)))]
  const insert = `INSERT INTO ${quoteName(name)} (${list.join(", ")}) VALUES(`
  const line = `'${insert.replaceAll("'", "''")}' || ${values.join(" || ',' || ")} || ');'`
  let last: string | undefined
  for (;;) {
    const where = last === undefined ? "" : `WHERE rowid > ${last}`
    const rows = await database.ask(
      `SELECT quote(rowid) AS n, ${line} AS line FROM ${quoteName(name)} ${where} ORDER BY rowid LIMIT ${page}`,
    )
    const found = rows.map((row) => Row.parse(row))
    if (found.length > 0) yield found.map((row) => `${row.line}\n`).join("")
    if (found.length < page) return
    last = found.at(-1)?.n
  }
}

/** `quote` ends a text at its first NUL. */
function literalOf(column: string): string {
  return `iif(typeof(${column}) = 'text' AND instr(${column}, char(0)) > 0, 'CAST(X''' || hex(${column}) || ''' AS TEXT)', quote(${column}))`
}

/** A signed URL carries its own credential. The whole file, or an error: a dump may be cut anywhere. */
async function download(url: string, file: string, signal: AbortSignal): Promise<void> {
  const response = await fetch(url, { signal, redirect: "error" })
  if (!response.ok || response.body === null) {
    const message = `The export could not be downloaded: ${response.status}. Run this again.`
    throw new Failure("COMMAND_FAILED", message)
  }
  const target = createWriteStream(file, { flags: "wx", mode: 0o600 })
  await pipeline(Readable.fromWeb(response.body), target)
}
