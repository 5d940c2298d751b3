import type { Round } from "../app/load.ts"
import { digits, percentile, share, spread } from "../app/table.ts"
import { median } from "../measure.ts"
import type { Growth } from "./growth.ts"
import type { Usage } from "./process-usage.ts"
import { requests, ways, type Rates, type RequestKind, type Way } from "./request-rate.ts"
import type { MemorySample } from "./steady-memory.ts"

export function ratesTable(rates: Rates): string {
  return [
    "| request | through | per second | p50 ms | p99 ms | of workerd alone | processor ms | of workerd alone |",
    "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ...requests.flatMap((request) => ways.map((way) => rateLine(rates[request], request, way))),
  ].join("\n")
}

const titles: Record<RequestKind | Way, string> = {
  text: "a text",
  query: "one query of D1",
  alone: "workerd alone",
  http: "the edge, HTTP",
  https: "the edge, HTTPS",
}

function rateLine(rounds: Rates[RequestKind], request: RequestKind, way: Way): string {
  const perSecond = spread(rounds[way].map((round) => round.perSecond))
  const ratios = rounds[way].flatMap((round, index) => {
    const alone = rounds.alone[index]
    return alone === undefined ? [] : [round.perSecond / alone.perSecond]
  })
  const [processor, alone] = [processorOf(rounds[way]), processorOf(rounds.alone)]
  const isAlone = way === "alone"
  return row([
    isAlone ? titles[request] : "",
    titles[way],
    `${digits(perSecond.median)} (${digits(perSecond.lower)}–${digits(perSecond.upper)})`,
    digits(medianPercentile(rounds[way], 0.5)),
    digits(medianPercentile(rounds[way], 0.99)),
    isAlone ? "" : share(spread(ratios)),
    processor?.toPrecision(2) ?? "",
    isAlone || processor === undefined || alone === undefined ? "" : (alone / processor).toFixed(2),
  ])
}

/** In milliseconds: the median over all rounds, so that a noisy round does not decide. */
function medianPercentile(rounds: Round[], fraction: number) {
  return median(
    rounds.map(({ times }) =>
      percentile(
        times.toSorted((one, other) => one - other),
        fraction,
      ),
    ),
  )
}

function processorOf(rounds: Round[]): number | undefined {
  const known = rounds.map(({ processor }) => processor).filter((time) => time !== undefined)
  return known.length === 0 ? undefined : median(known)
}

export function growthTables(growths: Growth[]): string[] {
  const memory = growths.map(({ size, main, storage, versions }) => {
    const all = [main, storage, ...versions]
    return row([
      size,
      resident([main]),
      resident([storage]),
      resident(versions),
      mebibytes(all.map(({ residentBytes }) => residentBytes).reduce(sum)),
    ])
  })
  const times = growths.map(({ size, alone, release, restart }) => {
    const ratios = release.map((time, index) => time / (alone[index] ?? Number.NaN))
    return row([size, seconds(alone), seconds(release), share(spread(ratios)), seconds(restart)])
  })
  return [
    [
      "| live Workers | control plane, MiB | storage, MiB | a live version, MiB | all, MiB |",
      "| ---: | ---: | ---: | ---: | ---: |",
      ...memory,
    ].join("\n"),
    [
      "| live Workers | workerd alone answers, s | a release answers, s | of workerd alone | ready again, s |",
      "| ---: | ---: | ---: | ---: | ---: |",
      ...times,
    ].join("\n"),
  ]
}

export function steadyTable(samples: MemorySample[]): string {
  return [
    "| requests | control plane, MiB | storage, MiB | the version, MiB | workerd alone, MiB |",
    "| ---: | ---: | ---: | ---: | ---: |",
    ...samples.map(({ requests: sent, main, storage, version, alone }) => {
      const last = alone === undefined ? "" : mebibytes(alone)
      return row([sent, mebibytes(main), mebibytes(storage), mebibytes(version), last])
    }),
  ].join("\n")
}

function row(cells: (string | number)[]) {
  return `| ${cells.join(" | ")} |`
}
function sum(one: number, other: number) {
  return one + other
}
function mebibytes(bytes: number) {
  return (bytes / 2 ** 20).toFixed(0)
}

/** The median of the resident memory, and of the part that is the process's own. */
function resident(usages: Usage[]): string {
  const all = mebibytes(median(usages.map(({ residentBytes }) => residentBytes)))
  const own = usages.flatMap(({ ownBytes }) => (ownBytes === undefined ? [] : [ownBytes]))
  return own.length === 0 ? all : `${all}, own ${mebibytes(median(own))}`
}

function seconds(milliseconds: number[]): string {
  const { lower, median: middle, upper } = spread(milliseconds)
  const inSeconds = (value: number) => (value / 1000).toFixed(2)
  return `${inSeconds(middle)} (${inSeconds(lower)}–${inSeconds(upper)})`
}
