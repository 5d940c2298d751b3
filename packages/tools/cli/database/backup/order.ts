import { createReadStream } from "node:fs"
import type { FileHandle } from "node:fs/promises"

import { tablesOf } from "@accounts-stack/d1-migrations/schema"

import type { Dump, DumpedTable, Range } from "./dump.ts"

export type Order = {
  /** Parents before children. */
  tables: DumpedTable[]
  /** Tables that refer to themselves or to each other in a circle: no order of rows fits. */
  circular: string[]
}

/** D1 writes tables in the order of their creation, which may be children first. */
function orderTables(tables: DumpedTable[]): Order {
  const parents = parentsOf(tables)
  const waiting = [...tables]
  const ordered: DumpedTable[] = []
  const circular: string[] = []
  const own = (name: string) => parents.get(name) ?? []
  while (waiting.length > 0) {
    const left = new Set(waiting.map((table) => table.name.toLowerCase()))
    const ready = waiting.findIndex(({ name }) =>
      own(name).every((parent) => parent === name.toLowerCase() || !left.has(parent)),
    )
    const [next] = waiting.splice(Math.max(ready, 0), 1)
    if (next === undefined) break
    if (ready === -1 || own(next.name).includes(next.name.toLowerCase())) circular.push(next.name)
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
 * Writes a dump so that it can be imported: parents before children, SQLite's own tables after them,
 * and what may fire or refuse last. An import is no transaction, so deferred checks are of no use
 * (cloudflare/workers-sdk#5683, #13272); where no order fits, it turns the checks off.
 */
export async function writeOrdered({ file, dump, output, header, before = [] }: Target) {
  const { tables, circular } = orderTables(dump.tables.filter(({ sql }) => sql !== undefined))
  const own = dump.tables.filter(({ sql }) => sql === undefined)
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
  for (const table of own) await copy(table.rows)
  await copy(dump.others)
}
