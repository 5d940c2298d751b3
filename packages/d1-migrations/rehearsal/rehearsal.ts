import { parseScript, tableIn } from "../analysis/parsed-script.ts"
import { applyMigrations, type BeforeSending } from "../apply/apply.ts"
import { countRows } from "../d1/count-rows.ts"
import type { Database } from "../d1/database.ts"
import { counted } from "../failure.ts"
import type { Migration } from "../files/migration-files.ts"
import { isOwnTable, type Names } from "../names.ts"
import { applyPending, type FileRun, quiet } from "./pending-files.ts"

export type Rehearsal = {
  /** Rows of all tables. */
  rows: number
  files: FileRun[]
  /** Files after the first that was not applied. */
  notRun: string[]
}

export type Rehearsing = {
  /** The files that the database has. */
  base: Migration[]
  pending: Migration[]
  /** A script whose INSERTs are the rows, as of a backup; empty for none. */
  rows: string
  /** Creates an empty database for this rehearsal only. */
  create: (name: string) => Promise<Database>
  say: (line: string) => void
  /** Ends it between two steps. */
  signal: AbortSignal
  /** Reasons of the caller's own, as in a deployment. */
  beforeSending?: BeforeSending
}

/** Applies files to a copy of rows, as a deployment does. */
export async function rehearse(rehearsing: Rehearsing): Promise<Rehearsal> {
  const { base, pending, create, say, signal, beforeSending } = rehearsing
  const database = await create("rehearsal")
  if (base.length > 0) await applyMigrations({ database, files: base, log: quiet })
  for (const script of insertsIn(rehearsing.rows, database.names)) await database.change(script)
  const counts = await countRows(database, await database.objects())
  const rows = [...counts.values()].reduce((total, count) => total + count, 0)
  say(`${counted(rows, "row")} in ${counted(counts.size, "table")}`)
  signal.throwIfAborted()

  const files = await applyPending({ database, base, pending, beforeSending })
  for (const { name, outcome } of files) say(`${name} ${outcome}`)
  return { rows, files, notRun: pending.slice(files.length).map(({ name }) => name) }
}

/** Bytes of one request. */
const mostBytes = 1_000_000

/** The INSERTs of a script, in requests where rows may refer to later rows. They replace rows of the same key that the files insert. */
function insertsIn(script: string, names: Names): string[] {
  const requests: string[][] = []
  let bytes = 0
  for (const { node, sql } of parseScript(script)) {
    const table = node?.type === "InsertStmt" ? tableIn(node)?.text : undefined
    if (table === undefined || /^(?:sqlite_|_cf_)/.test(table) || isOwnTable(table, names)) continue
    const insert = sql.replace(/^\s*INSERT\s+(?:OR\s+\w+\s+)?INTO/i, "INSERT OR REPLACE INTO")
    bytes += insert.length
    const last = requests.at(-1)
    if (last === undefined || bytes > mostBytes) {
      requests.push([insert])
      bytes = insert.length
    } else last.push(insert)
  }
  return requests.map((request) => ["PRAGMA defer_foreign_keys = ON;", ...request].join("\n"))
}
