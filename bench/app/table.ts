import { cpus, totalmem } from "node:os"

import { median } from "../measure.ts"
import { floors } from "./calls.ts"
import type { Results } from "./measure-operations.ts"
import type { Operation } from "./operation.ts"
import { subjects, titles, type Subject } from "./subject.ts"

/** The median, and the quartiles around it. */
export type Spread = { lower: number; median: number; upper: number }

export type Row = {
  operation: Operation
  subject: Subject
  perSecond: Spread
  /** Milliseconds, of all rounds together. */
  p50: number
  p99: number
  /** Milliseconds per request; undefined where the system does not report it. */
  processor: number | undefined
  /** Share of the floor's requests per second in the same round. */
  ofFloor: Spread
  /** The same, per second of processor time. */
  ofFloorByProcessor: Spread | undefined
}

export function rowsOf(results: Results, only: Operation[]): Row[] {
  return only.flatMap((operation) => subjects.map((subject) => rowOf(results, operation, subject)))
}

function rowOf(results: Results, operation: Operation, subject: Subject): Row {
  const rounds = results[operation][subject]
  const { floor } = results[operation]
  const times = rounds.flatMap((round) => round.times).toSorted((one, other) => one - other)
  const pairs = rounds.flatMap((round, index) => {
    const under = floor[index]
    return under === undefined ? [] : [{ round, under }]
  })
  const processor = rounds.flatMap((round) => round.processor ?? [])
  return {
    operation,
    subject,
    perSecond: spread(rounds.map(({ perSecond }) => perSecond)),
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    processor: processor.length === 0 ? undefined : median(processor),
    ofFloor: spread(pairs.map(({ round, under }) => round.perSecond / under.perSecond)),
    ofFloorByProcessor:
      processor.length === 0
        ? undefined
        : spread(
            pairs.map(({ round, under }) => (under.processor ?? 0) / (round.processor ?? Infinity)),
          ),
  }
}

/** The value below which a `fraction` of `sorted` lies. */
export function percentile(sorted: number[], fraction: number) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN
}

export function spread(values: number[]): Spread {
  const sorted = values.toSorted((one, other) => one - other)
  return {
    lower: percentile(sorted, 0.25),
    median: median(sorted),
    upper: percentile(sorted, 0.75),
  }
}

/** One table of all operations, in Markdown. */
export function tableOf(rows: Row[]): string {
  return [
    "| request | answered by | per second | p50 ms | p99 ms | of floor | processor ms | of floor |",
    "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ...rows.map(line),
  ].join("\n")
}

function line(row: Row): string {
  const { operation, subject, perSecond, p50, p99, processor, ofFloor, ofFloorByProcessor } = row
  const { title, aim } = floors[operation]
  const isFloor = subject === "floor"
  const aimed = subject === "accounts" && aim !== undefined ? `, aim ${aim}` : ""
  return `| ${[
    isFloor ? operation : "",
    isFloor ? title : titles[subject],
    `${digits(perSecond.median)} (${digits(perSecond.lower)}–${digits(perSecond.upper)})`,
    digits(p50),
    digits(p99),
    isFloor ? "" : `${share(ofFloor)}${aimed}`,
    processor === undefined ? "" : digits(processor),
    isFloor || ofFloorByProcessor === undefined ? "" : share(ofFloorByProcessor),
  ].join(" | ")} |`
}

export function share({ lower, median: middle, upper }: Spread) {
  return `${middle.toFixed(2)} (${lower.toFixed(2)}–${upper.toFixed(2)})`
}

export function digits(value: number) {
  return value >= 10 ? value.toFixed(0) : value.toPrecision(2)
}

/** The machine's hardware and Node version, without any name of it. */
export function machine(): string {
  const [first] = cpus()
  const gib = (totalmem() / 2 ** 30).toFixed(0)
  const model = first?.model.trim() ?? "unknown"
  return `${cpus().length} cores of ${model}, ${gib} GiB, Node ${process.versions.node}`
}
