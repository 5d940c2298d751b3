import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import type { FileHandle } from "node:fs/promises"

import { splitStatements } from "@accounts-stack/d1-migrations/files"
import { holdsRows, tablesOf } from "@accounts-stack/d1-migrations/schema"

import { messageOf } from "../../../base/failure.ts"

/** Byte range of a file; `end` is exclusive. */
type Range = { start: number; end: number }

type DumpedTable = {
  name: string
  /** Its CREATE statement; undefined for SQLite's own tables. */
  sql: string | undefined
  creation: Range[]
  rows: Range[]
  count: number
  /** Digest of all rows in any order, hexadecimal. */
  digest: string
}

/** Positions of the parts of a script that D1, wrangler or `database backup` wrote. */
export type Dump = {
  /** Tables in the order of the file. */
  tables: DumpedTable[]
  /** Statements that clear SQLite's own tables, before their rows. */
  resets: Range[]
  /** Indexes, triggers and views, and full-text tables that are built from other tables. */
  others: Range[]
  /** The first comment, without its dashes. */
  header: string
}

type Found = Omit<DumpedTable, "digest"> & { sum: bigint }

const namePattern = /(?:"((?:[^"]|"")+)"|'((?:[^']|'')+)'|`([^`]+)`|\[([^\]]+)\]|(\w+))/
const creation = new RegExp(
  `^CREATE\\s+(?:VIRTUAL\\s+)?TABLE\\s+(?:IF\\s+NOT\\s+EXISTS\\s+)?${namePattern.source}`,
  "i",
)
const rebuild = /^INSERT\s+INTO\s+("(?:[^"]|"")+")\s*\(\1\)\s*VALUES\s*\('rebuild'\);$/i
const insertion = new RegExp(`^INSERT\\s+INTO\\s+${namePattern.source}`, "i")

/** Reads a script of any size. @throws Error naming a line that cannot be part of a dump */
export async function readDump(file: string): Promise<Dump> {
  const tables = new Map<string, Found>()
  const resets: Range[] = []
  const ranges: Range[] = []
  let header = ""

  const tableOf = (table: string) => {
    const existing = tables.get(table)
    if (existing !== undefined) return existing
    const created: Found = {
      name: table,
      sql: undefined,
      creation: [],
      rows: [],
      count: 0,
      sum: 0n,
    }
    tables.set(table, created)
    return created
  }
  for await (const { text, start, end, line } of statementsOf(file)) {
    const range = { start, end }
    const created = nameIn(creation.exec(text))
    const inserted = nameIn(insertion.exec(text))
    const isMade = created !== undefined && /^CREATE\s+VIRTUAL/i.test(text) && !holdsRows(text)
    const isRebuilt = rebuild.test(text) && !tables.has(inserted ?? "")
    if (isMade || isRebuilt) ranges.push(range)
    else if (created !== undefined) {
      const table = tableOf(created)
      table.sql = text
      table.creation.push(range)
    } else if (inserted !== undefined) {
      const table = tableOf(inserted)
      table.count += 1
      table.sum = BigInt.asUintN(128, table.sum + hashOf(text))
      extend(table.rows, range)
    } else if (/^CREATE\b/i.test(text)) ranges.push(range)
    else if (/^(?:DELETE\s+FROM\s+"?sqlite_|ANALYZE\b)/i.test(text)) resets.push(range)
    else if (text.startsWith("--")) header ||= text.slice(2).trim()
    else if (!/^PRAGMA\b/i.test(text)) {
      throw new Error(`line ${line} is no part of an export: ${text.slice(0, 60)}`)
    }
  }
  return { tables: [...tables.values()].map(digested), resets, others: ranges, header }
}

function digested({ sum, ...table }: Found): DumpedTable {
  return { ...table, digest: sum.toString(16).padStart(32, "0") }
}

function nameIn(match: RegExpExecArray | null): string | undefined {
  if (match === null) return undefined
  const [, double, single, tick, bracket, bare] = match
  return double?.replaceAll('""', '"') ?? single?.replaceAll("''", "'") ?? tick ?? bracket ?? bare
}

function hashOf(text: string): bigint {
  return BigInt(`0x${createHash("sha256").update(text).digest("hex").slice(0, 32)}`)
}

function extend(ranges: Range[], range: Range): void {
  const last = ranges.at(-1)
  if (last?.end === range.start) last.end = range.end
  else ranges.push(range)
}

type Piece = Range & { text: string; line: number }

/** Yields statements and comments. D1 ends each at the end of a line. */
async function* statementsOf(file: string): AsyncGenerator<Piece> {
  let pending: Piece | undefined
  for await (const piece of linesOf(file)) {
    const text = pending === undefined ? piece.text : pending.text + piece.text
    const { start, line } = pending ?? piece
    pending = { ...piece, text, start, line }
    const trimmed = text.trim()
    if (trimmed !== "" && !isComplete(trimmed)) continue
    if (trimmed !== "") yield { ...pending, text: trimmed }
    pending = undefined
  }
  if (pending === undefined) return
  throw new Error(`line ${pending.line} begins a statement that never ends: the file is cut off`)
}

function isComplete(text: string): boolean {
  if (text.startsWith("--")) return true
  if (!text.endsWith(";")) return false
  if (/^INSERT/i.test(text)) return isClosed(text)
  try {
    const statements = splitStatements(text)
    return statements.length === 1 && statements[0]?.terminated === true
  } catch (error) {
    // A quote or a trigger ends in a later line.
    if (/never/.test(messageOf(error))) return false
    throw error
  }
}

/** Whether every quote is closed. A tokenizer would be too slow for a million rows. */
function isClosed(text: string): boolean {
  let position = 0
  for (;;) {
    const next = /['"]/g
    next.lastIndex = position
    const quote = next.exec(text)
    if (quote === null) return true
    const end = text.indexOf(quote[0], quote.index + 1)
    if (end === -1) return false
    position = end + 1
  }
}

/** Yields lines with their line breaks. */
async function* linesOf(file: string): AsyncGenerator<Piece> {
  const stream: AsyncIterable<Buffer> = createReadStream(file)
  let rest: Buffer[] = []
  let start = 0
  let line = 1
  const take = (bytes: Buffer): Piece => {
    const content = Buffer.concat([...rest, bytes])
    const piece = { text: content.toString(), start, end: start + content.length, line }
    rest = []
    start = piece.end
    line += 1
    return piece
  }
  for await (const chunk of stream) {
    let position = 0
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, position)) {
      yield take(chunk.subarray(position, at + 1))
      position = at + 1
    }
    if (position < chunk.length) rest.push(chunk.subarray(position))
  }
  if (rest.length > 0) yield take(Buffer.alloc(0))
}

type Order = {
  /** Parents before children. */
  tables: DumpedTable[]
  /** Tables whose foreign keys form a circle, or refer to the table itself: no order of rows satisfies them. */
  circular: string[]
}

/** Orders parents before children: D1 writes tables in the order of their creation. */
function orderTables(tables: DumpedTable[]): Order {
  const parents = parentsOf(tables)
  const waiting = [...tables]
  const ordered: DumpedTable[] = []
  const circular: string[] = []
  const parentNames = (name: string) => parents.get(name) ?? []
  while (waiting.length > 0) {
    const waitingNames = new Set(waiting.map((table) => table.name.toLowerCase()))
    const ready = waiting.findIndex(({ name }) =>
      parentNames(name).every(
        (parent) => parent === name.toLowerCase() || !waitingNames.has(parent),
      ),
    )
    const [next] = waiting.splice(Math.max(ready, 0), 1)
    if (next === undefined) break
    if (ready === -1 || parentNames(next.name).includes(next.name.toLowerCase())) {
      circular.push(next.name)
    }
    ordered.push(next)
  }
  return { tables: ordered, circular }
}

function parentsOf(tables: DumpedTable[]): Map<string, string[]> {
  const objects = tables.map(({ name, sql = "" }) => ({ type: "table", name, sql }))
  return new Map(
    tablesOf(objects).map(({ name, foreignKeys }) => [
      name,
      foreignKeys.map(({ parent }) => parent.toLowerCase()),
    ]),
  )
}

type Target = { file: string; dump: Dump; output: FileHandle; header: string; before?: string[] }

/**
 * Writes a dump in an order that can be imported: parents, children, SQLite's own tables, and last indexes,
 * triggers and views. An import is no transaction, so deferred checks do not help
 * (cloudflare/workers-sdk#5683, #13272). If no order fits, foreign key checks are turned off.
 */
export async function writeOrdered({ file, dump, output, header, before = [] }: Target) {
  const { tables, circular } = orderTables(dump.tables.filter(({ sql }) => sql !== undefined))
  const dumpedTables = dump.tables.filter(({ sql }) => sql === undefined)
  const checks = circular.length > 0 || before.length > 0
  const pragma = checks ? "PRAGMA foreign_keys=OFF;" : "PRAGMA defer_foreign_keys=TRUE;"
  await output.write(`${[pragma, `-- ${header}`, ...before].join("\n")}\n`)
  const copy = async (ranges: Range[]) => {
    for (const { start, end } of ranges) {
      const bytes: AsyncIterable<Buffer> = createReadStream(file, { start, end: end - 1 })
      for await (const chunk of bytes) await output.write(chunk)
    }
  }
  for (const table of tables) {
    await copy(table.creation)
    await copy(table.rows)
  }
  await copy(dump.resets)
  for (const table of dumpedTables) await copy(table.rows)
  await copy(dump.others)
}
