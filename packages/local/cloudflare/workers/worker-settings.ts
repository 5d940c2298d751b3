import * as z from "zod"

import { parse } from "../protocol/envelope.ts"

const Rate = z.number().nullable().default(1)

/** Cloudflare returns every field, even those not sent: providers compare the whole object. */
export const Observability = z.strictObject({
  enabled: z.boolean().default(false),
  head_sampling_rate: Rate,
  logs: z
    .strictObject({
      enabled: z.boolean().default(false),
      head_sampling_rate: Rate,
      invocation_logs: z.boolean().default(true),
      persist: z.boolean().default(true),
      destinations: z.array(z.string()).default([]),
    })
    .prefault({}),
  traces: z
    .strictObject({
      enabled: z.boolean().default(false),
      head_sampling_rate: Rate,
      persist: z.boolean().default(true),
      destinations: z.array(z.string()).default([]),
      propagation_policy: z.enum(["authenticated", "accept"]).nullish(),
    })
    .prefault({}),
})

const Subdomain = z.strictObject({
  enabled: z.boolean().default(false),
  previews_enabled: z.boolean().default(false),
})

export const TailConsumer = z.strictObject({
  name: z.string().optional(),
  service: z.string().optional(),
  environment: z.string().optional(),
  namespace: z.string().optional(),
})

/** Settings of a Worker that are not part of a version. */
export const WorkerSettings = z.strictObject({
  logpush: z.boolean().default(false),
  observability: Observability.prefault({}),
  subdomain: Subdomain.prefault({}),
  tags: z.array(z.string()).default([]),
  tail_consumers: z.array(TailConsumer).default([]),
})
export type WorkerSettings = z.infer<typeof WorkerSettings>

/** Share of the requests whose invocation is kept as a log. */
export function samplingOf({ observability }: WorkerSettings = defaultSettings): number {
  const { enabled, head_sampling_rate: all, logs } = observability
  if (!enabled || !logs.enabled || !logs.invocation_logs || !logs.persist) return 0
  return logs.head_sampling_rate ?? all ?? 1
}

export const defaultSettings = WorkerSettings.parse({})

/** A JSON merge patch: objects are merged, other values replaced. */
export const SettingsPatch = z.strictObject({
  logpush: z.boolean().nullish(),
  observability: z.record(z.string(), z.json()).nullish(),
  subdomain: z.record(z.string(), z.json()).nullish(),
  tags: z.array(z.string()).nullish(),
  tail_consumers: z.array(z.record(z.string(), z.json())).nullish(),
})

export function patchSettings(
  settings: WorkerSettings,
  patch: z.infer<typeof SettingsPatch>,
): WorkerSettings {
  return parse(WorkerSettings, mergePatch(settings, patch))
}

/** RFC 7396. `null` removes a key, so that its default applies. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch ?? undefined
  const merged: Record<string, unknown> = isRecord(target) ? { ...target } : {}
  for (const [key, value] of Object.entries(patch)) merged[key] = mergePatch(merged[key], value)
  return merged
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
