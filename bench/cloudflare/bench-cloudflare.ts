import { loadavg } from "node:os"
import { join } from "node:path"

import { versionsOf } from "../app/peers.ts"
import { machine } from "../app/table.ts"
import { writeMeasured } from "../docs-page.ts"
import { openFleet } from "./fleet.ts"
import { measureGrowth } from "./growth.ts"
import { measureRequestRates } from "./request-rate.ts"
import { measureSteadyMemory } from "./steady-memory.ts"
import { growthTables, ratesTable, steadyTable } from "./table.ts"

type Published = { json?: boolean; write?: boolean }

export async function benchCloudflare({ rounds, ...published }: Published & { rounds: number }) {
  const factsUntilNow = startFacts()
  await using fleet = await openFleet()
  await fleet.grow(1)
  const rates = await measureRequestRates(fleet, { rounds, onRound: say })
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

export async function benchSteady({ samples, ...published }: Published & { samples: number }) {
  const factsUntilNow = startFacts()
  await using fleet = await openFleet()
  await fleet.grow(1)
  const requests = samples * every
  const memory = await measureSteadyMemory(fleet, { requests, every, onSample: say })
  const facts = factsUntilNow()
  const tables = `${facts.line}.\n\n${steadyTable(memory)}`
  publish({ part: "steady", tables, document: { ...facts, memory }, published })
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
  if (write) writeMeasured({ page: "benchmarks.md", part, measured: tables })
}
