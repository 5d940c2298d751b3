import * as z from "zod"

import { Failure, isFailure } from "../../base/failure.ts"
import type { WorkerPlace } from "../api.ts"

/** What a version has done for members, so without health checks; of sampled logs, what they have of it. */
export type Served = {
  requests: number
  /** Answered with 500 or more. */
  answers: number
  /** Ended by the runtime: an exception, or a limit of Cloudflare's. */
  exceptions: number
  /** Milliseconds of processor time for a request, and how much requests differ in it. */
  cpuMs: number
  cpuVariance: number
}

export type Traffic = ReturnType<typeof openTraffic>

/** Of Workers Logs: developers.cloudflare.com/workers/observability/query-builder, cloudflare-typescript. */
const [version, outcome] = ["$workers.scriptVersion.id", "$workers.outcome"]
const cpu = { key: "$workers.cpuTimeMs", keyType: "number" }
const calculations = [
  { operator: "count", alias: "requests" },
  { operator: "avg", alias: "cpuMs", ...cpu },
  { operator: "variance", alias: "cpuVariance", ...cpu },
]
const ofMembers = ["$workers.event.request.path", "neq", "/api/health"] as const
const failing = ["$workers.event.response.status", "gte", 500] as const

const Answer = z.object({
  calculations: z.array(
    z.object({
      alias: z.string(),
      aggregates: z.array(
        z.object({
          /** Requests that the logs stand for, and how many for each that they have. */
          count: z.number(),
          sampleInterval: z.number().positive(),
          /** Of a single request there is no variance. */
          value: z.number().nullable(),
          groups: z.array(z.object({ key: z.string(), value: z.unknown() })),
        }),
      ),
    }),
  ),
})

type Timeframe = { from: number; to: number }

/** Outcomes that are no fault of the version: the client went away. */
const harmless = new Set(["ok", "canceled", "responseStreamDisconnected"])

/** What Workers Logs tell of a Worker's requests by version. `from` is in milliseconds since 1970. */
export function openTraffic({ api, accountId, scriptName }: WorkerPlace) {
  const path = `/accounts/${encodeURIComponent(accountId)}/workers/observability/telemetry/query`
  const ofWorker = [
    ["$metadata.service", "eq", scriptName],
    // Without the lines that a request has logged.
    ["$metadata.type", "eq", "cf-worker-event"],
    ["$workers.eventType", "eq", "fetch"],
  ] as const

  async function ask(
    timeframe: Timeframe,
    ...more: (readonly [string, string, string | number])[]
  ) {
    const filters = [...ofWorker, ...more].map(([key, operation, value]) => {
      return { key, operation, type: typeof value, value }
    })
    const groupBys = [version, outcome].map((value) => ({ type: "string", value }))
    const parameters = { datasets: ["cloudflare-workers"], filters, calculations, groupBys }
    const shape = { view: "calculations", ignoreSeries: true, limit: 100 }
    const body = { queryId: "accounts-release", timeframe, ...shape, parameters }
    const answer = await api.query(path, body, Answer).catch((error: unknown) => {
      throw withPermission(error)
    })
    const found = (alias: string, versionId: string, counts = (_harmless: boolean) => true) =>
      answer.calculations
        .flatMap((one) => (one.alias === alias ? one.aggregates : []))
        .filter(({ groups }) => {
          const of = (key: string) => groups.find((group) => group.key === key)?.value
          return of(version) === versionId && counts(harmless.has(String(of(outcome))))
        })
        .map(({ count, sampleInterval, value }) => ({ stored: count / sampleInterval, value }))
    const stored = (...which: Parameters<typeof found>) =>
      found(...which).reduce((sum, one) => sum + one.stored, 0)
    return {
      stored,
      /** Of all outcomes. */
      mean: (alias: string, versionId: string) =>
        found(alias, versionId).reduce((sum, one) => sum + (one.value ?? 0) * one.stored, 0) /
        Math.max(stored(alias, versionId), 1),
    }
  }

  return {
    async served(from: number): Promise<(versionId: string) => Served> {
      const timeframe = since(from)
      // In this order: what is logged late must not fail more often than it is counted.
      const failed = await ask(timeframe, ofMembers, failing)
      const all = await ask(timeframe, ofMembers)
      return (versionId) => ({
        requests: all.stored("requests", versionId),
        answers: failed.stored("requests", versionId, (isHarmless) => isHarmless),
        exceptions: all.stored("requests", versionId, (isHarmless) => !isHarmless),
        cpuMs: all.mean("cpuMs", versionId),
        cpuVariance: all.mean("cpuVariance", versionId),
      })
    },
    /** Whether the logs show any request of the version yet, be it this release's own. */
    shows: async (versionId: string, from: number) =>
      (await ask(since(from))).stored("requests", versionId) > 0,
  }
}

/** This machine's clock may be behind Cloudflare's, which has told `from`. */
function since(from: number): Timeframe {
  return { from, to: Math.max(Date.now(), from + 1) }
}

/** What the token lacks shows by the status alone: Cloudflare's text is "Authentication error". */
function withPermission(error: unknown): unknown {
  if (!isFailure(error, "API_FAILED") || ![401, 403].includes(error.facts.status ?? 0)) return error
  const message = `${error.message}: accounts:releaseLimits needs a token with Account › Workers Observability: Edit`
  return new Failure("API_FAILED", message, { facts: error.facts, cause: error })
}
