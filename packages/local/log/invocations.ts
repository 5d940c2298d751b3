import * as z from "zod"

import type { EdgeRequest } from "./event-log.ts"

/** What Workers Logs call it. */
export const Key = z.enum([
  "$metadata.service",
  "$metadata.type",
  "$workers.eventType",
  "$workers.scriptVersion.id",
  "$workers.outcome",
  "$workers.cpuTimeMs",
  "$workers.event.request.path",
  "$workers.event.response.status",
])

/** One request to a Worker; `at` is in milliseconds since 1970. Where logs are sampled, it stands for several. */
export type Invocation = {
  at: number
  sampleInterval: number
  values: Record<z.infer<typeof Key>, string | number>
}

export type Invocations = ReturnType<typeof createInvocations>

const limit = 100_000

/** The last invocations, in memory. */
export function createInvocations(options: {
  /** Share of the script's requests that are logged. */
  samplingOf: (script: string) => number
  /** Milliseconds of processor time that a version has taken so far. */
  processorTimeOf: (versionId: string) => number
}) {
  const kept: Invocation[] = []
  /** By version, once somebody has asked: it takes a look at the process. */
  let seen: Map<string, number> | undefined

  return {
    /** Counts what runs at once for what ends first. */
    record({ time, script, versionId, path, status, outcome }: EdgeRequest) {
      if (script === null || versionId === null) return
      const now = seen === undefined ? 0 : options.processorTimeOf(versionId)
      const cpuMs = Math.max(0, now - (seen?.get(versionId) ?? now))
      seen?.set(versionId, now)
      const sampling = options.samplingOf(script)
      if (Math.random() >= sampling) return
      const values = {
        "$metadata.service": script,
        "$metadata.type": "cf-worker-event",
        "$workers.eventType": "fetch",
        "$workers.scriptVersion.id": versionId,
        "$workers.outcome": outcome,
        "$workers.cpuTimeMs": cpuMs,
        "$workers.event.request.path": path,
        "$workers.event.response.status": status,
      }
      kept.push({ at: Date.parse(time), sampleInterval: 1 / sampling, values })
      if (kept.length > limit) kept.shift()
    },
    between(from: number, to: number): Invocation[] {
      seen ??= new Map()
      return kept.filter(({ at }) => at >= from && at <= to)
    },
  }
}
