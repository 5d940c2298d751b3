import { load, type Round } from "../app/load.ts"
import { watchProcessorTime } from "../app/processor-time.ts"
import type { Fleet } from "./fleet.ts"
import { usageOf } from "./process-usage.ts"
import { openWorkerdAlone } from "./workerd-alone.ts"

export const requests = ["text", "query"] as const
export type RequestKind = (typeof requests)[number]

export const ways = ["alone", "http", "https"] as const
export type Way = (typeof ways)[number]

export type Rates = Record<RequestKind, Record<Way, Round[]>>

type RateOptions = { rounds: number; onRound: (line: string) => void }

/** A few seconds each on a busy machine. */
const amounts: Record<RequestKind, number> = { text: 3000, query: 1000 }
const paths: Record<RequestKind, string> = { text: "/", query: "/query" }
const connections = 10

/**
 * Measures every way once per request kind and round, so that other load affects all of them
 * alike; a first round warms up and is not counted.
 */
export async function measureRequestRates(
  fleet: Fleet,
  { rounds, onRound }: RateOptions,
): Promise<Rates> {
  await using alone = await openWorkerdAlone()
  const aloneTime = await watchProcessorTime()
  const { edge, edgeTls } = fleet.cloudflare
  const { host } = fleet.first()
  const { main, storage, versions } = await fleet.processes()
  const processorTime = () =>
    [main, storage, ...versions]
      .map((pid) => usageOf(pid).processorMilliseconds)
      .reduce((sum, time) => sum + time, 0)
  const targets = {
    alone: { origin: alone.address, headers: {}, processorTime: aloneTime },
    http: { origin: edge, headers: { host }, processorTime },
    https: { origin: edgeTls, headers: { host }, processorTime },
  }
  const rates: Rates = {
    text: { alone: [], http: [], https: [] },
    query: { alone: [], http: [], https: [] },
  }
  for (let round = 0; round <= rounds; round += 1) {
    for (const request of requests) {
      for (const way of ways) {
        const { origin, headers, processorTime: used } = targets[way]
        const url = `${origin}${paths[request]}`
        const measured = await load(
          {
            url,
            method: "GET",
            headers,
            connections,
            ...(way === "https" && { servername: host }),
          },
          { requests: amounts[request], processorTime: used },
        )
        const rate = `${request} ${way} ${measured.perSecond.toFixed(0)}/s`
        onRound(round === 0 ? `warm-up: ${rate}` : `${round} of ${rounds}: ${rate}`)
        if (round > 0) rates[request][way].push(measured)
      }
    }
  }
  return rates
}
