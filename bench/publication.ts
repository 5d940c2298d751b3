import { loadavg } from "node:os"
import { join } from "node:path"

import { versionsOf } from "./app/peers.ts"
import { machine } from "./app/table.ts"
import { writeMeasured } from "./docs-page.ts"

export type Published = { json?: boolean; write?: boolean }

export function say(line: string) {
  void process.stderr.write(`${line}\n`)
}

/** Date, machine and load of a run; the load is asked before and after it. */
export function startFacts() {
  const [before = 0] = loadavg()
  return () => {
    const [after = 0] = loadavg()
    const date = new Date().toISOString().slice(0, 10)
    const versions = versionsOf(join(import.meta.dirname, ".."), ["workerd", "miniflare"])
    const busy = `load ${before.toFixed(1)} before and ${after.toFixed(1)} after`
    const line = `${date}, ${machine()}, ${versions.join(", ")}; ${busy}`
    return { line, date, machine: machine(), versions, load: { before, after } }
  }
}

type Publication = { part: string; tables: string; document: unknown; published: Published }

export function publish({ part, tables, document, published: { json, write } }: Publication): void {
  process.stdout.write(`${json ? JSON.stringify(document, null, 2) : tables}\n`)
  if (write) writeMeasured({ page: "benchmarks.md", part, measured: tables })
}
