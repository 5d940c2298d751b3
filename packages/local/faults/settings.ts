import * as z from "zod"

import { account } from "../state/seed.ts"

const Host = z.string().min(1).toLowerCase()

/** Alternative behaviours that Cloudflare may have, in cases that no source settles. */
const Doubts = z.strictObject({
  /**
   * How many first reads of a version by id find nothing, counted per route. wrangler's `fetchUploadedVersion` tries
   * up to five times.
   */
  lateReads: z.number().int().min(0).max(100).default(0),
  /** Reads under `workers/scripts` do not find a Worker that has never been deployed. */
  undeployedUnknown: z.boolean().default(false),
  /** Every error has the code 10013, which means an unknown error. */
  otherCodes: z.boolean().default(false),
  /** Versions do not store limits (terraform-provider-cloudflare#6404). */
  limitsIgnored: z.boolean().default(false),
  /**
   * The newer route returns variables without their text, as terraform-provider-cloudflare expects
   * (`worker_version/custom.go`). OpenAPI requires the text.
   */
  textsHidden: z.boolean().default(false),
  /** The newer route lists the oldest versions first; no source documents its order. */
  oldestFirst: z.boolean().default(false),
})

/** The behaviour of the local Cloudflare apart from fault rules. Kept in memory only. */
export const Settings = z.strictObject({
  /** Milliseconds that the edge keeps serving the state before a change. */
  propagationMs: z.number().int().min(0).max(600_000),
  /**
   * Each machine of the edge applies a change up to `spreadMs` later. The seed decides these delays, and the machine
   * of each connection.
   */
  machines: z.strictObject({
    count: z.number().int().min(1).max(64).default(1),
    spreadMs: z.number().int().min(0).max(600_000).default(0),
    seed: z.number().int().default(0),
  }),
  /** Features that Cloudflare has enabled for the account on request. */
  features: z.array(z.enum(["trace_propagation"])),
  /** The account's name under workers.dev. */
  subdomain: z.literal(account.workersDevelopmentSubdomain).nullable(),
  /** Browser Integrity Check of all zones. */
  browserCheck: z.boolean(),
  /** Bot Fight Mode of all zones. */
  fightMode: z.boolean(),
  /** WAF custom rules with the action "block". A request with the header in `except` passes. */
  firewallRules: z.array(
    z.strictObject({
      host: Host,
      /** `*` matches any characters. If absent, every path matches. */
      path: z.string().min(1).optional(),
      except: z.strictObject({ header: z.string().min(1), value: z.string() }).optional(),
    }),
  ),
  /** Cloudflare Access in front of hosts. */
  accessApplications: z.array(
    z.strictObject({
      host: Host,
      /** Whether users can sign in; otherwise only service tokens are accepted. */
      login: z.boolean().default(true),
      /** The values of `CF-Access-Client-Id` and `CF-Access-Client-Secret` that are accepted. */
      serviceTokens: z
        .array(z.strictObject({ id: z.string().min(1), secret: z.string().min(1) }))
        .default([]),
    }),
  ),
  /** Addresses of local origin servers, by the host that they serve. */
  origins: z.record(Host, z.string().regex(/^(?:localhost|127\.0\.0\.1):\d{1,5}$/)),
  /** The account's plan for Workers. */
  plan: z.enum(["free", "paid"]),
  /** Milliseconds until the logs of a Worker can be queried. */
  logDelayMs: z.number().int().min(0).max(3_600_000),
  /** Permissions that the token lacks. */
  missingPermissions: z.array(z.enum(["Workers Observability"])),
  doubts: Doubts,
})
export type Settings = z.infer<typeof Settings>

/** Absent settings keep their value. */
export const SettingsChange = Settings.partial()

export type SettingsStore = ReturnType<typeof createSettings>

export function createSettings(first: Partial<Settings> = {}) {
  let current: Settings = {
    propagationMs: 0,
    machines: { count: 1, spreadMs: 0, seed: 0 },
    features: [],
    subdomain: account.workersDevelopmentSubdomain,
    // developers.cloudflare.com/waf/tools/browser-integrity-check: on in every new zone.
    browserCheck: true,
    fightMode: false,
    firewallRules: [],
    accessApplications: [],
    origins: {},
    plan: "paid",
    logDelayMs: 0,
    missingPermissions: [],
    doubts: Doubts.parse({}),
    ...first,
  }
  return {
    read: () => current,
    change(changes: z.infer<typeof SettingsChange>) {
      const definedChanges = Object.entries(changes).filter(([, value]) => value !== undefined)
      current = { ...current, ...Object.fromEntries(definedChanges) }
    },
  }
}
