const always = { probability: 1, seed: 1 }
const sometimes = { probability: 0.3, seed: 1 }

/** Named faults, each with the rule (docs/local-cloudflare.md) that injects it. */
export const faultPresets: Record<string, { summary: string; rule: object }> = {
  "lost-answers": {
    summary: "three in ten answers of the Worker are lost, though it has done its work",
    rule: { match: { surface: "edge" }, when: sometimes, action: { type: "reset", applied: true } },
  },
  "slow-database": {
    summary: "every query takes two seconds longer",
    rule: { match: { surface: "d1" }, when: always, action: { type: "delay", ms: 2000 } },
  },
  "no-database": {
    summary: "every query fails as D1 does when it loses its connection",
    rule: {
      match: { surface: "d1" },
      when: always,
      action: { type: "d1-error", error: "Network connection lost." },
    },
  },
  "lost-api-answers": {
    summary: "three in ten changes through Cloudflare's API are made without an answer",
    rule: { match: { surface: "api" }, when: sometimes, action: { type: "reset", applied: true } },
  },
  "rate-limit": {
    summary: "Cloudflare's API answers 429",
    rule: {
      match: { surface: "api" },
      when: always,
      action: { type: "status", status: 429, code: 971, headers: { "retry-after": "300" } },
    },
  },
  "disk-full": {
    summary: "Cloudflare's API can store nothing",
    rule: {
      match: { surface: "api" },
      when: always,
      action: { type: "status", status: 500, message: "database or disk is full" },
    },
  },
}
