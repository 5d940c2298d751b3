import { prepareCalls } from "./calls.ts"
import { load, type Round } from "./load.ts"
import type { Operation } from "./operation.ts"
import { watchProcessorTime } from "./processor-time.ts"
import { buildScripts, subjects, type Subject } from "./subject.ts"
import { openWorkerd } from "./workerd.ts"

export type Results = Record<Operation, Record<Subject, Round[]>>

export type RunOptions = {
  rounds: number
  only: Operation[]
  onRound: (line: string) => void
}

/** About a quarter of a second each on an idle machine: short turns share its noise evenly. */
const requestsOf: Record<Operation, number> = {
  health: 1_000,
  "get-session": 150,
  getProfile: 150,
  listEntries: 150,
  "sign-in": 8,
  "sign-up": 8,
}

/** The first round sends this many times as many requests; it warms up and is not counted. */
const warmUpFactor = 4

/** Measures every subject once per operation and round, so that other load affects all of them alike. */
export async function measureOperations({ rounds, only, onRound }: RunOptions) {
  const { scripts, peers } = await buildScripts()
  await using instance = await openWorkerd(scripts)
  const calls = await prepareCalls(instance)
  const processorTime = await watchProcessorTime()
  const results = emptyResults()
  for (let round = 0; round <= rounds; round += 1) {
    for (const operation of only) {
      for (const subject of subjects) {
        const requests = requestsOf[operation] * (round === 0 ? warmUpFactor : 1)
        const measured = await load(calls[operation][subject], { requests, processorTime })
        const rate = `${operation} ${subject} ${measured.perSecond.toFixed(1)}/s`
        onRound(round === 0 ? `warm-up: ${rate}` : `${round} of ${rounds}: ${rate}`)
        if (round > 0) results[operation][subject].push(measured)
      }
    }
  }
  return { results, peers }
}

function emptyResults(): Results {
  const of = (): Record<Subject, Round[]> => ({
    floor: [],
    accounts: [],
    documented: [],
    cloudflare: [],
  })
  return {
    health: of(),
    "get-session": of(),
    getProfile: of(),
    listEntries: of(),
    "sign-in": of(),
    "sign-up": of(),
  }
}
