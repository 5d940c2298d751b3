import { createHash } from "node:crypto"
import { createReadStream, existsSync, openAsBlob, createWriteStream } from "node:fs"
import { link, open, readdir, rm, stat, appendFile } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
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

import { counted } from "../../../base/counted.ts"
import { Failure, messageOf } from "../../../base/failure.ts"
import type { DatabasePlace } from "../../../deploy/api.ts"
import { openDatabase } from "../../../environment/own-names.ts"
import { paintFor, table } from "../../output.ts"
import { isAlive } from "../../process/is-alive.ts"
import type { DeployedStack } from "../../stack/deployed-stack.ts"
import { importDump, type UploadFile, exportDump } from "../d1-account.ts"
import {
  createScratchD1,
  sweepScratchD1,
  normalizeObjects,
  readContents,
  type TableContent,
} from "../table-contents.ts"
import { type Dump, readDump, writeOrdered } from "./dump.ts"

/**
 * Largest upload in bytes: Node 24 misreports the size of larger Blobs. D1 imports up to 5 GB, and R2 5 GiB:
 * https://developers.cloudflare.com/d1/platform/limits/, https://developers.cloudflare.com/r2/platform/limits/
 */
const largest = 2 ** 32 - 1

/** Opens a file as the body of one request. @throws Failure if it is too large for a single request */
export async function openUpload(file: string): Promise<Blob> {
  const { size } = await stat(file)
  if (size <= largest) return await openAsBlob(file)
  const message =
    `The file has ${size} bytes, and one upload carries at most ${largest}, so it can be neither stored nor ` +
    "tried. Time Travel still covers 30 days; keep a copy with wrangler d1 export, and see docs/scale.md."
  throw new Failure("COMMAND_FAILED", message)
}

/** Header of a backup. It is the second line: the first turns foreign key checks off, or defers them. */
const Header = z.object({
  stack: z.string(),
  databaseId: z.string(),
  /** Time Travel bookmark of the exported state. */
  bookmark: z.string(),
  /** ISO 8601. */
  at: z.string(),
  tables: z.array(z.object({ name: z.string(), rows: z.number() })),
})
type BackupHeader = z.infer<typeof Header>

const title = "accounts backup 1 "

function describeHeader(header: BackupHeader): string {
  return title + JSON.stringify(header)
}

/** Returns undefined if another tool wrote the dump. */
export function parseHeader(text: string): BackupHeader | undefined {
  if (!text.startsWith(title)) return undefined
  return Header.parse(JSON.parse(text.slice(title.length)))
}

export type Backup = {
  file: string
  /** Time Travel bookmark of the exported state. */
  bookmark: string
  /** ISO 8601. */
  at: string
  tables: { name: string; rows: number }[]
  /** Tables written to during the export. They match the export but cannot be compared with the database. */
  written: string[]
}

type Site = Pick<DeployedStack, "stack" | "api" | "accountId" | "databaseId" | "database">

type Options = { output: string; signal: AbortSignal; say: (line: string) => void }

/**
 * Exports a database to a file and verifies the file by restoring it into a scratch database.
 * Leaves no file behind unless everything succeeds.
 */
export async function backUp(site: Site, { output, signal, say }: Options): Promise<Backup> {
  if (existsSync(output)) throw existing(output)
  for (const name of await sweepScratchD1(site)) say(`deleted ${name}, which a killed run had left`)
  for (const file of await draftsOf(output)) await rm(file, { force: true })
  await using files = new AsyncDisposableStack()
  const draft = `${output}.${process.pid}`
  const [raw, partial] = [`${draft}.export`, `${draft}.partial`]
  for (const file of [raw, partial]) files.defer(() => rm(file, { force: true }))

  const before = await readContents(site.database)
  say("exporting: the database answers nothing else until this is done")
  const { bookmark, wordsOnly } = await exportWhole(site, { file: raw, signal })
  for (const name of wordsOnly) {
    say(
      `${name}: keeps words of texts that it does not have, so it comes back empty: fill it again`,
    )
  }
  const after = await readContents(site.database)
  const dump = await readDumpOf(raw)
  const at = new Date().toISOString()
  const tables = dump.tables.map(({ name, count: rows }) => ({ name, rows }))
  const header = describeHeader({
    stack: site.stack,
    databaseId: site.databaseId,
    bookmark,
    at,
    tables,
  })
  await writePrivately(partial, (handle) =>
    writeOrdered({ file: raw, dump, output: handle, header }),
  )
  const written = [...after.keys()].filter((name) => !isSame(before.get(name), after.get(name)))

  say("verifying: restoring the file into a scratch database")
  await verify(site, { partial, dump, expected: after, written, signal })
  signal.throwIfAborted()
  await keep(partial, output)
  return { file: output, bookmark, at, tables, written }
}

type Verification = {
  partial: string
  dump: Dump
  expected: Map<string, TableContent>
  written: string[]
  signal: AbortSignal
}

/** @throws Failure naming every table whose content differs after the restore */
async function verify(site: Site, options: Verification): Promise<void> {
  const { partial, dump, expected, written, signal } = options
  await tryRestore(site, {
    file: partial,
    dump,
    signal,
    look: async (restored) => {
      const contents = await readContents(restored)
      const problems: string[] = []
      for (const [name, content] of expected) {
        if (written.includes(name) || isSame(content, contents.get(name))) continue
        problems.push(
          `${name}: ${describe(content)} in the database, ${describe(contents.get(name))} restored`,
        )
      }
      if (written.length > 0) return problems
      const [here, restoredObjects] = [
        await site.database.allObjects(),
        await restored.allObjects(),
      ].map(normalizeObjects)
      for (const object of here ?? []) {
        if (!restoredObjects?.includes(object)) problems.push(`not restored: ${object}`)
      }
      return problems
    },
  })
}

type Trial = {
  file: string
  dump: Dump
  signal: AbortSignal
  /** Returns further problems of the restored database. */
  look: (restored: Database) => Promise<string[]>
}

/** Restores a file into a scratch database. @throws Failure listing every difference from the file */
export async function tryRestore(site: Site, { file, dump, signal, look }: Trial): Promise<void> {
  await using scratch = await createScratchD1(site)
  await importDump(scratch, await uploadOf(file), { signal })
  const problems = await look(openDatabase(scratch))
  signal.throwIfAborted()
  await using files = new AsyncDisposableStack()
  const copy = `${file.replace(/\.partial$/, "")}.restored`
  files.defer(() => rm(copy, { force: true }))
  await exportWhole(scratch, { file: copy, signal })
  problems.push(...compareDumps(dump, await readDumpOf(copy)))
  if (problems.length === 0) return
  throw new Failure(
    "COMMAND_FAILED",
    `The backup does not bring back what it should:\n  ${problems.join("\n  ")}`,
  )
}

/** Compares tables by the digest of their rows, so value by value. */
function compareDumps(dump: Dump, restoredDump: Dump): string[] {
  const restoredTables = new Map(restoredDump.tables.map((read) => [read.name, read]))
  return dump.tables.flatMap(({ name, count, digest }) => {
    const twin = restoredTables.get(name)
    if (twin?.digest === digest || (twin === undefined && count === 0)) return []
    const [exported, restored] = [count, twin?.count ?? 0]
    return exported === restored
      ? [`${name}: rows differ between the export and what it restores`]
      : [`${name}: ${counted(exported, "row")} exported, ${restored} restored`]
  })
}

function isSame(
  tableContent: TableContent | undefined,
  restored: TableContent | undefined,
): boolean {
  return tableContent?.rows === restored?.rows && tableContent?.sum === restored?.sum
}

function describe(content: TableContent | undefined): string {
  return content === undefined ? "no table" : `${counted(content.rows, "row")} (sum ${content.sum})`
}

async function readDumpOf(file: string): Promise<Dump> {
  try {
    return await readDump(file)
  } catch (error) {
    const message = `D1's export cannot be read: ${messageOf(error)}`
    throw new Failure("COMMAND_FAILED", message, { cause: error })
  }
}

export async function uploadOf(file: string): Promise<UploadFile> {
  const blob = await openUpload(file)
  const hash = createHash("md5")
  await pipeline(createReadStream(file), hash)
  return { blob, md5: hash.digest("hex") }
}

export async function writePrivately(
  file: string,
  write: (handle: Awaited<ReturnType<typeof open>>) => Promise<void>,
): Promise<void> {
  const handle = await open(file, "wx", 0o600)
  try {
    await write(handle)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Publishes the finished file. Unlike a rename, a link fails if the output exists by then. */
async function keep(partial: string, output: string): Promise<void> {
  try {
    await link(partial, output)
  } catch (error) {
    if (existsSync(output)) throw existing(output)
    throw error
  }
}

/** Lists drafts of this file that killed runs left behind: they contain rows. */
async function draftsOf(output: string): Promise<string[]> {
  const folder = dirname(output)
  const names = await readdir(folder)
  return names
    .filter((name) => {
      if (!name.startsWith(`${basename(output)}.`)) return false
      const [, pid] =
        /^\.(\d+)\.(?:export|partial|restored)$/.exec(name.slice(basename(output).length)) ?? []
      return pid !== undefined && !isAlive(Number(pid))
    })
    .map((name) => join(folder, name))
}

function existing(output: string): Failure {
  return new Failure("USAGE", `${output} exists already, and is not overwritten. Nothing was done.`)
}

/** Formats a backup for the terminal. */
export function describeBackup({ file, bookmark, tables, written }: Backup): string {
  const paint = paintFor(process.stdout)
  const listedTables = tables.filter(({ name }) => !name.startsWith("sqlite_"))
  const rows = listedTables.map(({ name, rows: count }): [string, string] => [name, String(count)])
  const meanwhile =
    written.length === 0
      ? []
      : [`  written to meanwhile, so compared with the export alone: ${written.join(", ")}`]
  return [
    table(rows),
    ...meanwhile,
    `  at bookmark ${bookmark}`,
    `${paint.green("✓")} ${file} brings back every row: restored into a scratch database and compared.`,
  ].join("\n")
}

type Exported = {
  bookmark: string
  /** Full-text tables without stored text: they are empty after a restore. */
  wordsOnly: string[]
}

/**
 * Writes all content of a database to a new file. D1 cannot export virtual tables, so it exports the
 * other tables by name. Virtual tables are queried afterwards, so they may show a later moment.
 */
async function exportWhole(
  place: DatabasePlace,
  { file, signal }: { file: string; signal: AbortSignal },
): Promise<Exported> {
  const database = openDatabase(place)
  const objects = await database.allObjects()
  const virtual = virtualTablesOf(objects)
  const names = virtual.length === 0 ? undefined : namesBeside(objects, virtual)
  const { url, bookmark } = await exportDump(place, { signal, names })
  await download(url, file, signal)
  for (const virtualTable of virtual) {
    await appendFile(file, `${virtualTable.sql};\n`)
    if (virtualTable.keeps === "rows") {
      for await (const lines of rowsOf(database, virtualTable)) {
        signal.throwIfAborted()
        await appendFile(file, lines)
      }
    }
    const rebuildStatement = rebuilding(virtualTable)
    if (rebuildStatement !== undefined) await appendFile(file, `${rebuildStatement}\n`)
  }
  const wordsOnly = virtual.filter(({ keeps }) => keeps === "words").map(({ name }) => name)
  return { bookmark, wordsOnly }
}

/** Lists the objects to export, with `sqlite_sequence`, which has the AUTOINCREMENT counters. */
function namesBeside(objects: SchemaObject[], virtual: VirtualTable[]): string[] {
  const excluded = new Set(virtual.flatMap(({ name, own }) => [name, ...own]))
  return [
    ...objects.map(({ name }) => name).filter((name) => !excluded.has(name)),
    "sqlite_sequence",
  ]
}

const Row = z.object({ n: z.string(), line: z.string() })

/** Rows per query: their text may be long. */
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
    const parsedRows = rows.map((row) => Row.parse(row))
    if (parsedRows.length > 0) yield parsedRows.map((row) => `${row.line}\n`).join("")
    if (parsedRows.length < page) return
    last = parsedRows.at(-1)?.n
  }
}

/** SQL that formats a column as a literal. `quote` alone would cut text at its first NUL. */
function literalOf(column: string): string {
  return `iif(typeof(${column}) = 'text' AND instr(${column}, char(0)) > 0, 'CAST(X''' || hex(${column}) || ''' AS TEXT)', quote(${column}))`
}

/** Downloads the whole file or throws. The signed URL carries its own credential. */
async function download(url: string, file: string, signal: AbortSignal): Promise<void> {
  const response = await fetch(url, { signal, redirect: "error" })
  if (!response.ok || response.body === null) {
    const message = `The export could not be downloaded: ${response.status}. Run this again.`
    throw new Failure("COMMAND_FAILED", message)
  }
  const target = createWriteStream(file, { flags: "wx", mode: 0o600 })
  await pipeline(Readable.fromWeb(response.body), target)
}
