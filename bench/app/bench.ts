import { loadavg } from "node:os"
import { join } from "node:path"

import { rewrite } from "../document.ts"
import { operations, type Operation } from "./operation-name.ts"
import { versionsOf } from "./peers.ts"
import { run } from "./run.ts"
import { machine, rowsOf, tableOf } from "./table.ts"

type BenchOptions = { rounds: number; only?: Operation[]; json?: boolean; write?: boolean }

const ours = ["workerd", "better-auth", "drizzle-orm", "hono", "@orpc/server"]
const theirs = ["better-auth", "better-auth-cloudflare", "drizzle-orm", "hono"]

export async function benchApp(options: BenchOptions): Promise<void> {
  const { rounds, only = [...operations], json, write } = options
  const say = (text: string) => process.stderr.write(`${text}\n`)
  const [before = 0] = loadavg()
  const { results, peers } = await run({ rounds, only, onRound: say })
  const [after = 0] = loadavg()
  const rows = rowsOf(results, only)
  const facts = {
    date: new Date().toISOString().slice(0, 10),
    machine: machine(),
    load: { before, after },
    rounds,
    versions: versionsOf(join(import.meta.dirname, "../.."), ours),
    peers: versionsOf(peers, theirs),
  }
  if (json) {
    // Of single requests there are tens of thousands.
    const brief = (key: string, value: unknown) => (key === "times" ? undefined : value)
    process.stdout.write(`${JSON.stringify({ ...facts, rows, results }, brief, 2)}\n`)
  }
  const told = [
    `${facts.date}, ${facts.machine}; load ${before.toFixed(1)} before and ${after.toFixed(1)} after; ${rounds === 1 ? "1 round" : `${rounds} rounds`}.`,
    `Accounts with ${facts.versions.join(", ")}; its peers with ${facts.peers.join(", ")}.`,
    "",
    tableOf(rows),
  ].join("\n")
  if (!json) process.stdout.write(`${told}\n`)
  if (write) rewrite({ page: "benchmarks.md", measured: told })
}
