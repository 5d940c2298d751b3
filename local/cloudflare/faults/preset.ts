import * as z from "zod"

import { Rule } from "./rule.ts"

export const Preset = z.enum(["bad-day", "slow", "bad-database"])

/** The rules of a preset; each gets its own seed, derived from `seed`. */
export function rulesOf(preset: z.infer<typeof Preset>, seed: number): Rule[] {
  return presets[preset].map(({ probability, ...rule }, index) =>
    Rule.parse({ ...rule, when: { probability, seed: seed * 1000 + index } }),
  )
}

type PresetRule = { name: string; probability: number; match: unknown; action: unknown }

const [api, edge, d1] = [{ surface: "api" }, { surface: "edge" }, { surface: "d1" }]

const badDatabase: PresetRule[] = [
  {
    name: "lost-before",
    probability: 0.01,
    match: d1,
    action: { type: "d1-error", error: "Network connection lost." },
  },
  {
    name: "lost-after",
    probability: 0.005,
    match: d1,
    action: { type: "d1-error", error: "Network connection lost.", applied: true },
  },
  {
    name: "overloaded",
    probability: 0.01,
    match: d1,
    action: { type: "d1-error", error: "D1 DB is overloaded. Requests queued for too long." },
  },
  {
    name: "updated",
    probability: 0.005,
    match: d1,
    action: { type: "d1-error", error: "D1 DB reset because its code was updated." },
  },
]

const slow: PresetRule[] = [
  { name: "slow-api", probability: 0.3, match: api, action: { type: "delay", ms: 800 } },
  { name: "slow-edge", probability: 0.2, match: edge, action: { type: "delay", ms: 500 } },
  { name: "slow-database", probability: 0.1, match: d1, action: { type: "delay", ms: 300 } },
]

const presets: Record<z.infer<typeof Preset>, PresetRule[]> = {
  slow,
  "bad-database": badDatabase,
  "bad-day": [
    { name: "busy", probability: 0.03, match: api, action: { type: "rate-limit", retryAfter: 2 } },
    { name: "failing", probability: 0.03, match: api, action: { type: "status", status: 503 } },
    {
      name: "page",
      probability: 0.01,
      match: api,
      action: { type: "status", status: 520, body: "html", applied: true },
    },
    { name: "lost", probability: 0.01, match: api, action: { type: "reset" } },
    {
      name: "answer-lost",
      probability: 0.02,
      match: api,
      action: { type: "reset", applied: true },
    },
    { name: "cut-off", probability: 0.01, match: api, action: { type: "truncate" } },
    { name: "stale", probability: 0.05, match: api, action: { type: "stale" } },
    { name: "edge-lost", probability: 0.005, match: edge, action: { type: "reset" } },
    {
      name: "edge-failing",
      probability: 0.005,
      match: edge,
      action: { type: "status", status: 502, body: "html" },
    },
    ...slow,
    ...badDatabase,
  ],
}
