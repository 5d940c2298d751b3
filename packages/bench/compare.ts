import { load, type Call, type Round } from "./load.ts"
import { describe, digits, median, percentile } from "./measure.ts"
import type { ProcessorTime } from "./processor-time.ts"
import { say } from "./report.ts"

type Way = {
  title: string
  call: Call
  processorTime: ProcessorTime
  /** Target for the first contender's requests per second. */
  aim?: number | undefined
}

/** A request that is sent in several ways; the first is the measure of the others. */
export type Comparison = { request: string; requests: number; ways: Way[] }

/** The first round sends this many times as many requests; it warms up and is not counted. */
const warmUpFactor = 4

/**
 * Measures every way once per round, in short turns, so that other load affects all of them alike.
 * @param reference what the first way of each comparison is, for the heading
 * @returns the columns of a table and its rows, one for each way
 */
export async function compare(comparisons: Comparison[], rounds: number, reference: string) {
  const results = new Map<Way, Round[]>()
  for (let round = 0; round <= rounds; round += 1) {
    for (const { request, requests: each, ways } of comparisons) {
      for (const way of ways) {
        const requests = each * (round === 0 ? warmUpFactor : 1)
        const measured = await load(way.call, { requests, processorTime: way.processorTime })
        const rate = `${request}, ${way.title}: ${measured.perSecond.toFixed(1)}/s`
        say(round === 0 ? `warm-up: ${rate}` : `${round} of ${rounds}: ${rate}`)
        if (round > 0) results.set(way, [...(results.get(way) ?? []), measured])
      }
    }
  }
  const loads = ["request", "answered by", "per second", "p50 ms", "p99 ms"]
  const columns = [...loads, `of ${reference}`, "processor ms", `of ${reference} by processor`]
  return [
    columns,
    comparisons.flatMap(({ request, ways }) =>
      ways.map((way, index) => {
        const first = index === 0 ? undefined : ways[0] && results.get(ways[0])
        const cells = cellsOf(results.get(way) ?? [], first, way.aim)
        return [index === 0 ? request : "", way.title, ...cells]
      }),
    ),
  ] as const
}

function cellsOf(rounds: Round[], first: Round[] | undefined, aim: number | undefined): string[] {
  const times = rounds.flatMap((round) => round.times).toSorted((a, b) => a - b)
  const processor = rounds.flatMap((round) => round.processor ?? [])
  const share = (of: (round: Round, under: Round) => number) =>
    first === undefined
      ? ""
      : describe(rounds.flatMap((round, index) => (first[index] ? of(round, first[index]) : [])))
  const ofFirst = share((round, under) => round.perSecond / under.perSecond)
  return [
    describe(
      rounds.map(({ perSecond }) => perSecond),
      digits,
    ),
    digits(percentile(times, 0.5)),
    digits(percentile(times, 0.99)),
    aim === undefined ? ofFirst : `${ofFirst}, aim ${aim}`,
    processor.length === 0 ? "" : digits(median(processor)),
    processor.length === 0
      ? ""
      : share((round, under) => (under.processor ?? 0) / (round.processor ?? Infinity)),
  ]
}
