import { openInstance } from "./instance.ts"
import { load, type Round } from "./load.ts"
import type { Operation } from "./operation-name.ts"
import { prepare } from "./operation.ts"
import { watchProcessor } from "./processor.ts"
import { openScripts, subjects, type Subject } from "./subject.ts"

export type Results = Record<Operation, Record<Subject, Round[]>>

export type RunOptions = {
  rounds: number
  only: Operation[]
  onRound: (line: string) => void
}

/** A quarter of a second of each on an idle machine of today: short turns share its noise evenly. */
const requestsOf: Record<Operation, number> = {
  health: 1_000,
  "get-session": 150,
  getProfile: 150,
  listEntries: 150,
  "sign-in": 8,
  "sign-up": 8,
}

/** So many times as much in the first round, which warms up and is not counted. */
const warming = 4

/** Everyone once an operation and round, so that a noisy minute falls on all of them alike. */
export async function run({ rounds, only, onRound }: RunOptions) {
  const { scripts, peers } = await openScripts()
  await using instance = await openInstance(scripts)
  const calls = await prepare(instance)
  const processorTime = await watchProcessor()
  const results = emptyResults()
  for (let round = 0; round <= rounds; round += 1) {
    for (const operation of only) {
      for (const subject of subjects) {
        const requests = requestsOf[operation] * (round === 0 ? warming : 1)
        const measured = await load(calls[operation][subject], { requests, processorTime })
        const rate = `${operation} ${subject} ${measured.perSecond.toFixed(1)}/s`
        onRound(round === 0 ? `warm: ${rate}` : `${round} of ${rounds}: ${rate}`)
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
