import { loadavg } from "node:os"
import { join } from "node:path"

import { versionsOf } from "../app/peers.ts"
import { machine } from "../app/table.ts"
import { rewrite } from "../document.ts"
import { openFleet } from "./fleet.ts"
import { measureGrowth } from "./growth.ts"
import { measureRates } from "./rate.ts"
import { measureSteady } from "./steady.ts"
import { growthTables, ratesTable, steadyTable } from "./table.ts"

type Published = { json?: boolean; write?: boolean }

export async function benchCloudflare({ rounds, ...published }: Published & { rounds: number }) {
  const factsUntilNow = startFacts()
  await using fleet = await openFleet()
  await fleet.grow(1)
  const rates = await measureRates(fleet, { rounds, onRound: say })
  const growths = await measureGrowth(fleet, { rounds, onRound: say })
  const facts = factsUntilNow()
  const tables = [
    `${facts.line}; ${rounds} rounds.`,
    ratesTable(rates),
    ...growthTables(growths),
  ].join("\n\n")
  publish({ part: "cloudflare", tables, document: { ...facts, rounds, rates, growths }, published })
}

const every = 10_000

export async function benchSteady({ looks, ...published }: Published & { looks: number }) {
  const factsUntilNow = startFacts()
  await using fleet = await openFleet()
  await fleet.grow(1)
  const requests = looks * every
  const moments = await measureSteady(fleet, { requests, every, onMoment: say })
  const facts = factsUntilNow()
  const tables = `${facts.line}.\n\n${steadyTable(moments)}`
  publish({ part: "steady", tables, document: { ...facts, moments }, published })
}

function say(line: string) {
  void process.stderr.write(`${line}\n`)
}

function startFacts() {
  const [before = 0] = loadavg()
  return () => {
    const [after = 0] = loadavg()
    const date = new Date().toISOString().slice(0, 10)
    const versions = versionsOf(join(import.meta.dirname, "../.."), ["workerd", "miniflare"])
    const busy = `load ${before.toFixed(1)} before and ${after.toFixed(1)} after`
    const line = `${date}, ${machine()}, ${versions.join(", ")}; ${busy}`
    return { line, date, machine: machine(), versions, load: { before, after } }
  }
}

type Publication = { part: string; tables: string; document: unknown; published: Published }

function publish({ part, tables, document, published: { json, write } }: Publication): void {
  process.stdout.write(`${json ? JSON.stringify(document, null, 2) : tables}\n`)
  if (write) rewrite({ page: "benchmarks.md", part, measured: tables })
}
