import { type Published, publish, say, startFacts } from "../publication.ts"
import { openFleet } from "./fleet.ts"
import { measureGrowth } from "./growth.ts"
import { measureRequestRates } from "./request-rate.ts"
import { measureSteadyMemory } from "./steady-memory.ts"
import { growthTables, ratesTable, steadyTable } from "./table.ts"

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
