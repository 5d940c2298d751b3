import * as z from "zod"

import { Failure, isFailure } from "../../base/failure.ts"
import type { Api } from "../api.ts"

/** How much worse a version may serve members than the one beside it, at each step of its release. */
export const TrafficLimits = z.strictObject({
  /** With fewer requests it is not judged, and not released; with 0 that is only said. */
  requests: z.number().min(0),
  /** Percentage points of its requests that may fail beyond those of the other. */
  failures: z.number().min(0).optional(),
  /** Percent of processor time for a request that it may take beyond the other. */
  cpu: z.number().min(0).optional(),
})
export type TrafficLimits = z.infer<typeof TrafficLimits>

/** What a version has done, without health checks. */
export type Served = {
  requests: number
  /** Answered with 500 or more. */
  answers: number
  /** Ended without an answer of the Worker's: an exception, or a limit of Cloudflare's. */
  exceptions: number
  /** Processor time of all of them. */
  cpuMs: number
}

export type Traffic = {
  /** @param from milliseconds since 1970 @throws Failure API_FAILED */
  served(from: number): Promise<(versionId: string) => Served>
  /** Whether the logs show any request of the version yet, health checks included. */
  shows(versionId: string, from: number): Promise<boolean>
}

type Filter =
  | { key: string; operation: "eq" | "neq"; type: "string"; value: string }
  | { key: string; operation: "gte"; type: "number"; value: number }

/** Keys of Workers Logs: developers.cloudflare.com/workers/observability/query-builder, cloudflare-typescript. */
const keys = {
  version: "$workers.scriptVersion.id",
  outcome: "$workers.outcome",
  cpu: "$workers.cpuTimeMs",
  status: "$workers.event.response.status",
  path: "$workers.event.request.path",
}
const calculations = [
  { operator: "count", alias: "requests" },
  { operator: "sum", alias: "cpuMs", key: keys.cpu, keyType: "number" },
]

const Aggregate = z.object({
  /** Weighted by Cloudflare, where logs are sampled. */
  value: z.number(),
  groups: z.array(z.object({ key: z.string(), value: z.unknown() })),
})
const Answer = z.object({
  calculations: z.array(z.object({ alias: z.string(), aggregates: z.array(Aggregate) })),
})

/** Outcomes that are no fault of the version: the client went away. */
const unharmed = new Set(["ok", "canceled", "responseStreamDisconnected"])

/** What Workers Logs tell of a Worker's requests by version. */
export function openTraffic(options: { api: Api; accountId: string; scriptName: string }): Traffic {
  const { api, accountId, scriptName } = options
  const path = `/accounts/${encodeURIComponent(accountId)}/workers/observability/telemetry/query`
  const ofWorker = [
    equal("$metadata.service", scriptName),
    // Without the lines that a request has logged.
    equal("$metadata.type", "cf-worker-event"),
    equal("$workers.eventType", "fetch"),
  ]
  const byMembers: Filter = {
    key: keys.path,
    operation: "neq",
    type: "string",
    value: "/api/health",
  }

  async function ask(from: number, filters: Filter[]) {
    const body = {
      queryId: "accounts-release",
      // The machine's clock may be behind Cloudflare's, which has told `from`.
      timeframe: { from, to: Math.max(Date.now(), from + 1) },
      view: "calculations",
      ignoreSeries: true,
      limit: 100,
      parameters: {
        datasets: ["cloudflare-workers"],
        filters: [...ofWorker, ...filters],
        calculations,
        groupBys: [keys.version, keys.outcome].map((value) => ({ type: "string", value })),
      },
    }
    const answer = await api.query(path, body, Answer).catch((error: unknown) => {
      throw withPermission(error)
    })
    const rows = answer.calculations.flatMap(({ alias, aggregates }) =>
      aggregates.map(({ value, groups }) => {
        const of = (key: string) => groups.find((group) => group.key === key)?.value
        return { alias, value, version: of(keys.version), outcome: String(of(keys.outcome)) }
      }),
    )
    return (alias: string, versionId: string, counts = (_outcome: string) => true) =>
      rows
        .filter((row) => row.alias === alias && row.version === versionId && counts(row.outcome))
        .reduce((sum, { value }) => sum + value, 0)
  }

  return {
    async served(from) {
      const all = await ask(from, [byMembers])
      const failed = await ask(from, [
        byMembers,
        { key: keys.status, operation: "gte", type: "number", value: 500 },
      ])
      const isUnharmed = (outcome: string) => unharmed.has(outcome)
      return (versionId) => ({
        requests: all("requests", versionId),
        answers: failed("requests", versionId, isUnharmed),
        exceptions: all("requests", versionId, (outcome) => !isUnharmed(outcome)),
        cpuMs: all("cpuMs", versionId),
      })
    },
    shows: async (versionId, from) => (await ask(from, []))("requests", versionId) > 0,
  }
}

/** What the token lacks shows by the status alone: Cloudflare's text is "Authentication error". */
function withPermission(error: unknown): unknown {
  if (!isFailure(error, "API_FAILED") || ![401, 403].includes(error.facts.status ?? 0)) return error
  const message = `${error.message}: accounts:releaseLimits needs a token with Account › Workers Observability: Edit`
  return new Failure("API_FAILED", message, { facts: error.facts, cause: error })
}

function equal(key: string, value: string): Filter {
  return { key, operation: "eq", type: "string", value }
}
