import * as z from "zod"

/** How this Cloudflare behaves, other than by single faults; in memory, like those. */
export const Settings = z.strictObject({
  /** How long the edge goes on by what was true before a change. Milliseconds. */
  propagationMs: z.number().int().min(0).max(600_000),
  /** Of the API, for each token; null for none. Cloudflare's is 1,200 in 300 seconds. */
  rateLimit: z
    .strictObject({
      requests: z.number().int().min(1).default(1200),
      seconds: z.number().int().min(1).max(3600).default(300),
    })
    .nullable(),
})
export type Settings = z.infer<typeof Settings>

/** What is absent stays as it is. */
export const SettingsChange = Settings.partial()

export type SettingsStore = {
  read(): Settings
  change(changes: z.infer<typeof SettingsChange>): void
}

export function createSettings(first: Partial<Settings>): SettingsStore {
  let current: Settings = { propagationMs: 0, rateLimit: null, ...first }
  return {
    read: () => current,
    change(changes) {
      const { propagationMs = current.propagationMs, rateLimit = current.rateLimit } = changes
      current = { propagationMs, rateLimit }
    },
  }
}
