import { cpus } from "node:os"

import { median } from "../measure.ts"
import type { Round } from "./load.ts"
import { floors, type Operation } from "./operation.ts"
import type { Results } from "./run.ts"
import { subjects, titles, type Subject } from "./subject.ts"

type Spread = { median: number; least: number; most: number }

export type Row = {
  operation: Operation
  subject: Subject
  perSecond: Spread
  /** Milliseconds. */
  p50: number
  p99: number
  processor: number | undefined
  /** Of the floor's requests per second in the same round. */
  ofFloor: Spread
  /** The same of the processor's time for a request: what it is of the floor, upside down. */
  ofFloorByProcessor: number | undefined
}

export function rowsOf(results: Results, only: readonly Operation[]): Row[] {
  return only.flatMap((operation) => subjects.map((subject) => rowOf(results, operation, subject)))
}

function rowOf(results: Results, operation: Operation, subject: Subject): Row {
  const rounds = results[operation][subject]
  const floor = results[operation].floor
  const pairs = rounds.flatMap((round, index) => {
    const under = floor[index]
    return under === undefined ? [] : [{ round, under }]
  })
  const middle = (of: (round: Round) => number) => median(rounds.map(of))
  const processor = known(rounds.map((round) => round.processor))
  const floorProcessor = known(floor.map((round) => round.processor))
  return {
    operation,
    subject,
    perSecond: spread(rounds.map(({ perSecond }) => perSecond)),
    p50: middle(({ p50 }) => p50),
    p99: middle(({ p99 }) => p99),
    processor,
    ofFloor: spread(pairs.map(({ round, under }) => round.perSecond / under.perSecond)),
    ofFloorByProcessor:
      processor === undefined || floorProcessor === undefined
        ? undefined
        : floorProcessor / processor,
  }
}

const known = (times: readonly (number | undefined)[]) => {
  const present = times.filter((time) => time !== undefined)
  return present.length === 0 ? undefined : median(present)
}

const spread = (values: number[]): Spread => ({
  median: median(values),
  least: Math.min(...values),
  most: Math.max(...values),
})

/** One table of all operations, in Markdown. */
export function tableOf(rows: readonly Row[]): string {
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
  const share = ({ median: middle, least, most }: Spread) =>
    `${middle.toFixed(2)} (${least.toFixed(2)}–${most.toFixed(2)})`
  const aimed = subject === "accounts" && aim !== undefined ? `, aim ${aim}` : ""
  return `| ${[
    isFloor ? operation : "",
    isFloor ? title : titles[subject],
    `${digits(perSecond.median)} (${digits(perSecond.least)}–${digits(perSecond.most)})`,
    digits(p50),
    digits(p99),
    isFloor ? "" : `${share(ofFloor)}${aimed}`,
    processor === undefined ? "" : processor.toPrecision(2),
    isFloor || ofFloorByProcessor === undefined ? "" : ofFloorByProcessor.toFixed(2),
  ].join(" | ")} |`
}

const digits = (value: number) => (value >= 100 ? value.toFixed(0) : value.toPrecision(2))

/** What the figures were taken on, without a name of anybody's. */
export function machine(): string {
  const [first] = cpus()
  return `${cpus().length} cores of ${first?.model.trim() ?? "unknown"}, Node ${process.versions.node}`
}
