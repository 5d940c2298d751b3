import { loadavg } from "node:os"
import { join } from "node:path"

import { writeMeasured } from "../docs-page.ts"
import { measureOperations } from "./measure-operations.ts"
import { operations, type Operation } from "./operation.ts"
import { versionsOf } from "./peers.ts"
import { machine, rowsOf, tableOf } from "./table.ts"

type BenchOptions = { rounds: number; only?: Operation[]; json?: boolean; write?: boolean }

const ownPackages = ["workerd", "better-auth", "drizzle-orm", "hono", "@orpc/server"]
const peerPackages = ["better-auth", "better-auth-cloudflare", "drizzle-orm", "hono"]

export async function benchApp(options: BenchOptions): Promise<void> {
  const { rounds, only = [...operations], json, write } = options
  const say = (text: string) => process.stderr.write(`${text}\n`)
  const [before = 0] = loadavg()
  const { results, peers } = await measureOperations({ rounds, only, onRound: say })
  const [after = 0] = loadavg()
  const rows = rowsOf(results, only)
  const facts = {
    date: new Date().toISOString().slice(0, 10),
    machine: machine(),
    load: { before, after },
    rounds,
    versions: versionsOf(join(import.meta.dirname, "../.."), ownPackages),
    peers: versionsOf(peers, peerPackages),
  }
  if (json) {
    // The times of single requests would be tens of thousands of lines.
    const brief = (key: string, value: unknown) => (key === "times" ? undefined : value)
    process.stdout.write(`${JSON.stringify({ ...facts, rows, results }, brief, 2)}\n`)
  }
  const report = [
    `${facts.date}, ${facts.machine}; load ${before.toFixed(1)} before and ${after.toFixed(1)} after; ${rounds === 1 ? "1 round" : `${rounds} rounds`}.`,
    `Accounts with ${facts.versions.join(", ")}; its peers with ${facts.peers.join(", ")}.`,
    "",
    tableOf(rows),
  ].join("\n")
  if (!json) process.stdout.write(`${report}\n`)
  if (write) writeMeasured({ page: "benchmarks.md", measured: report })
}
