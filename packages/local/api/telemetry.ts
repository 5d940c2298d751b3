import { Hono } from "hono"
import * as z from "zod"

import { type Invocation, Key } from "../log/event-log.ts"
import { account } from "../state/seed.ts"
import type { Control } from "./control.ts"
import { ApiError, body, code, noQuery, success } from "./envelope.ts"

const Filter = z
  .strictObject({
    key: Key,
    operation: z.enum(["eq", "neq", "gte"]),
    type: z.enum(["string", "number"]),
    value: z.union([z.string(), z.number()]),
  })
  .refine(({ type, value }) => typeof value === type, "must have a value of its type")
const Calculation = z.discriminatedUnion("operator", [
  z.strictObject({ operator: z.literal("count"), alias: z.string() }),
  z.strictObject({
    operator: z.enum(["avg", "variance"]),
    alias: z.string(),
    key: Key.extract(["$workers.cpuTimeMs"]),
    keyType: z.literal("number"),
  }),
])
const Query = z.strictObject({
  queryId: z.string(),
  timeframe: z
    .strictObject({ from: z.int(), to: z.int() })
    .refine(({ from, to }) => from < to, "'from' must be earlier than 'to'"),
  view: z.literal("calculations"),
  ignoreSeries: z.literal(true),
  limit: z.int().min(1).max(2000),
  parameters: z.strictObject({
    datasets: z.tuple([z.literal("cloudflare-workers")]),
    filters: z.array(Filter),
    calculations: z.array(Calculation).min(1),
    groupBys: z.array(z.strictObject({ type: z.literal("string"), value: Key })).min(1),
  }),
})

/** `workers/observability/telemetry`: aggregates of the requests in Workers Logs. */
export function telemetryApi({ invocations, settings }: Pick<Control, "invocations" | "settings">) {
  const app = new Hono()

  app.post("/query", noQuery, async (c) => {
    const { logDelayMs, missingPermissions } = settings.read()
    if (missingPermissions.includes("Workers Observability")) {
      throw new ApiError(403, code.authentication, "Authentication error")
    }
    const { queryId, timeframe, limit, parameters } = await body(c, Query)
    const { from, to } = timeframe
    const matches = invocations
      .between(from, Math.min(to, Date.now() - logDelayMs))
      .filter((invocation) => parameters.filters.every((filter) => passes(invocation, filter)))
    const keys = parameters.groupBys.map(({ value }) => value)
    const keyOf = ({ values }: Invocation) => JSON.stringify(keys.map((key) => values[key]))
    const groups = [...Map.groupBy(matches, keyOf).values()].slice(0, limit)
    const calculations = parameters.calculations.map((calculation) => ({
      calculation: calculation.operator,
      alias: calculation.alias,
      series: [],
      aggregates: groups.map((group) => aggregateOf(group, calculation, keys)),
    }))
    const now = new Date().toISOString()
    const who = { createdBy: "local", updatedBy: "local", created: now, updated: now }
    const query = { id: queryId, adhoc: true, name: "", description: null, ...who, parameters }
    const state = { status: "COMPLETED", dry: false, granularity: 0, timeframe, query }
    const run = { id: crypto.randomUUID(), accountId: account.id, userId: "local", ...state }
    const statistics = { elapsed: 0, rows_read: matches.length, bytes_read: 0 }
    return c.json(success({ run, statistics, calculations }))
  })

  return app
}

function passes({ values }: Invocation, { key, operation, value }: z.infer<typeof Filter>) {
  const { [key]: actual } = values
  return operation === "gte" ? actual >= value : (actual === value) === (operation === "eq")
}

/** Aggregates invocations, each weighted by its sample interval. */
function aggregateOf(
  group: Invocation[],
  calculation: z.infer<typeof Calculation>,
  keys: z.infer<typeof Key>[],
) {
  const total = (value: (invocation: Invocation) => number) =>
    group.reduce((sum, invocation) => sum + value(invocation) * invocation.sampleInterval, 0)
  const count = total(() => 1)
  const sampleInterval = count / group.length
  const groups = keys.map((key) => ({ key, value: group[0]?.values[key] }))
  const facts = { count, interval: sampleInterval, sampleInterval, groups }
  if (calculation.operator === "count") return { ...facts, value: count }
  const of = (invocation: Invocation) => Number(invocation.values[calculation.key])
  const mean = total(of) / count
  const variance = total((invocation) => (of(invocation) - mean) ** 2) / count
  return { ...facts, value: calculation.operator === "avg" ? mean : variance }
}
