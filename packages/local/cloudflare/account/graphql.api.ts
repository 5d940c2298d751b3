import { Hono } from "hono"
import * as z from "zod"

import type { Control } from "../control.ts"
import type { QueryUsage } from "../d1/query-usage.ts"
import { body, noQuery } from "../protocol/envelope.ts"
import { account } from "../seed.ts"

const Filter = z.strictObject({
  datetimeHour_geq: z.iso.datetime(),
  datetimeHour_leq: z.iso.datetime(),
  databaseId: z.string().optional(),
})
const Request = z.strictObject({
  query: z.string(),
  operationName: z.string().optional(),
  variables: z.strictObject({
    accountTag: z.string(),
    filter: z.strictObject({ AND: z.tuple([Filter]) }),
  }),
})

/**
 * `graphql`: the two queries of `wrangler d1 info` and `wrangler d1 insights`. The response has all
 * fields, whatever the query selects. Any other query gets an error that names its dataset.
 */
export function graphqlApi({ queryUsage }: Control) {
  const app = new Hono()

  app.post("/", noQuery, async (c) => {
    const { query: text, variables } = await body(c, Request)
    const selection = /\b(\w+)\s*\(\s*limit\s*:\s*(\d+)/.exec(text)
    const [, name = "", limit = ""] = selection ?? []
    if (variables.accountTag !== account.id) {
      return c.json(errorResponse(`not authorized for account ${variables.accountTag}`))
    }
    const [filter] = variables.filter.AND
    const rows = queryUsage
      .between(filter.datetimeHour_geq, filter.datetimeHour_leq)
      .filter(({ databaseId }) => databaseId === (filter.databaseId ?? databaseId))
    const groups = groupsOf(name, rows, text)
    if (groups === undefined) {
      const dataset = name === "" ? text.trim().slice(0, 80) : name
      return c.json(
        errorResponse(
          `the local Cloudflare answers d1AnalyticsAdaptiveGroups and d1QueriesAdaptiveGroups only, not ${dataset}`,
        ),
      )
    }
    const accounts = [{ [name]: groups.slice(0, Number(limit)) }]
    return c.json({ data: { viewer: { accounts } }, errors: null })
  })

  return app
}

function groupsOf(name: string, rows: QueryUsage[], text: string) {
  if (name === "d1AnalyticsAdaptiveGroups") {
    return sums(rows, ({ hour }) => hour).map(({ first, sum, reads, writes }) => ({
      sum: {
        readQueries: reads,
        writeQueries: writes,
        rowsRead: sum.rowsRead,
        rowsWritten: sum.rowsWritten,
      },
      dimensions: { datetimeHour: first.hour },
    }))
  }
  if (name !== "d1QueriesAdaptiveGroups") return undefined
  const groups = sums(rows, ({ databaseId, query: one }) => `${databaseId} ${one}`).map(
    ({ first, sum, count }) => ({
      sum,
      avg: mapValues(sum, (value) => value / count),
      count,
      dimensions: { query: first.query, databaseId: first.databaseId },
    }),
  )
  const order = /orderBy\s*:\s*\[\s*(?:(sum|avg)_)?(\w+?)_(ASC|DESC)\s*\]/.exec(text)
  const [, kind, field = "", direction] = order ?? []
  const valueOf = (group: (typeof groups)[number]) =>
    kind === "sum" || kind === "avg" ? (group[kind][field] ?? 0) : group.count
  const sorted = groups.toSorted((one, other) => valueOf(one) - valueOf(other))
  return direction === "ASC" ? sorted : sorted.toReversed()
}

type Sum = {
  first: QueryUsage
  sum: Record<string, number>
  count: number
  reads: number
  writes: number
}

function sums(rows: QueryUsage[], keyOf: (row: QueryUsage) => string): Sum[] {
  return [...Map.groupBy(rows, keyOf).values()].flatMap((group) => {
    const total = (value: (row: QueryUsage) => number) =>
      group.reduce((sum, row) => sum + value(row), 0)
    const count = total((row) => row.count)
    const writes = total((row) => (row.rowsWritten > 0 ? row.count : 0))
    const sum = {
      queryDurationMs: total(({ milliseconds }) => milliseconds),
      rowsRead: total(({ rowsRead }) => rowsRead),
      rowsWritten: total(({ rowsWritten }) => rowsWritten),
      rowsReturned: total(({ rowsReturned }) => rowsReturned),
    }
    return group.slice(0, 1).map((first) => ({ first, sum, count, writes, reads: count - writes }))
  })
}

function mapValues(record: Record<string, number>, change: (value: number) => number) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
}

function errorResponse(message: string) {
  return { data: null, errors: [{ message, path: null, extensions: { code: "validation" } }] }
}
