import { randomUUID } from "node:crypto"

import { Hono } from "hono"
import * as z from "zod"

import type { Control } from "../control.ts"
import { ApiError, body, noQuery, success } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import { account } from "../seed.ts"
import type { Invocation } from "./invocations.ts"

const Text = z.enum([
  "$metadata.service",
  "$metadata.type",
  "$workers.eventType",
  "$workers.scriptVersion.id",
  "$workers.outcome",
  "$workers.event.request.path",
])
const Numeric = z.enum(["$workers.cpuTimeMs", "$workers.event.response.status"])
type Field = z.infer<typeof Text> | z.infer<typeof Numeric>

function fieldsOf(one: Invocation): Record<Field, string | number> {
  return {
    "$metadata.service": one.script,
    "$metadata.type": "cf-worker-event",
    "$workers.eventType": "fetch",
    "$workers.scriptVersion.id": one.versionId,
    "$workers.outcome": one.outcome,
    "$workers.event.request.path": one.path,
    "$workers.cpuTimeMs": one.cpuMs,
    "$workers.event.response.status": one.status,
  }
}

const Filter = z.union([
  z.strictObject({
    key: Text,
    operation: z.enum(["eq", "neq"]),
    type: z.literal("string"),
    value: z.string(),
  }),
  z.strictObject({
    key: Numeric,
    operation: z.enum(["eq", "neq", "gte"]),
    type: z.literal("number"),
    value: z.number(),
  }),
])
const Calculation = z.discriminatedUnion("operator", [
  z.strictObject({ operator: z.literal("count"), alias: z.string() }),
  z.strictObject({
    operator: z.literal("sum"),
    alias: z.string(),
    key: Numeric,
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
    groupBys: z.array(z.strictObject({ type: z.literal("string"), value: Text })).min(1),
  }),
})

/**
 * `workers/observability/telemetry`: the aggregates of what Workers Logs keep of invocations, by groups.
 * Lines of `console` are not among them. Its settings say who may ask, and how late the logs are.
 */
export function telemetryApi({ invocations, settings }: Pick<Control, "invocations" | "settings">) {
  const app = new Hono()

  app.post("/query", noQuery, async (c) => {
    const { logDelayMs, missingPermissions } = settings.read()
    if (missingPermissions.includes("Workers Observability")) {
      throw new ApiError(403, code.authentication, "Authentication error")
    }
    const asked = await body(c, Query)
    const { timeframe, limit } = asked
    const { filters, groupBys, calculations } = asked.parameters
    const until = Math.min(timeframe.to, Date.now() - logDelayMs)
    const found = invocations
      .between(timeframe.from, until)
      .filter((one) => filters.every((filter) => passes(one, filter)))
    const keyOf = (one: Invocation) =>
      JSON.stringify(groupBys.map(({ value }) => fieldsOf(one)[value]))
    const groups = [...Map.groupBy(found, keyOf).values()].slice(0, limit)
    const statistics = { elapsed: 0, rows_read: found.length, bytes_read: 0 }
    return c.json(
      success({
        run: runOf(asked),
        statistics,
        calculations: calculations.map((calculation) => ({
          calculation: calculation.operator,
          alias: calculation.alias,
          series: [],
          aggregates: groups.map((group) => aggregateOf(group, calculation, groupBys)),
        })),
      }),
    )
  })

  return app
}

function passes(one: Invocation, { key, operation, value }: z.infer<typeof Filter>): boolean {
  const { [key]: found } = fieldsOf(one)
  if (operation === "gte") return Number(found) >= value
  return (found === value) === (operation === "eq")
}

/** Weighted by what each one stands for. */
function aggregateOf(
  group: Invocation[],
  calculation: z.infer<typeof Calculation>,
  groupBys: { value: z.infer<typeof Text> }[],
) {
  const total = (value: (one: Invocation) => number) =>
    group.reduce((sum, one) => sum + value(one) * one.sampleInterval, 0)
  const count = total(() => 1)
  const sampleInterval = count / group.length
  const groups = group
    .slice(0, 1)
    .flatMap((first) => groupBys.map(({ value: key }) => ({ key, value: fieldsOf(first)[key] })))
  const value =
    calculation.operator === "count"
      ? count
      : total((one) => Number(fieldsOf(one)[calculation.key]))
  return { count, value, interval: sampleInterval, sampleInterval, groups }
}

/** All that Cloudflare tells of a query that nobody has saved. */
function runOf({ queryId, timeframe, parameters }: z.infer<typeof Query>) {
  const now = new Date().toISOString()
  const who = { createdBy: "local", updatedBy: "local", created: now, updated: now }
  const query = { id: queryId, adhoc: true, name: "", description: null, ...who, parameters }
  const run = { id: randomUUID(), accountId: account.id, userId: "local", dry: false }
  return { ...run, granularity: 0, status: "COMPLETED", timeframe, query }
}
