import * as z from "zod"

import { Failure } from "../../base/failure.ts"
import { print, say, table } from "../output.ts"
import { expectRunning, request } from "../process/local-cloudflare.ts"

const always = { probability: 1, seed: 1 }
const sometimes = { probability: 0.3, seed: 1 }

/** What goes wrong, and the rule of docs/local-cloudflare.md that makes it so. */
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

type Options = { state: string; json: boolean }

const Answer = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ message: z.string() })),
  result: z.array(z.object({ name: z.string() })).nullable(),
})

/** What there is, and what is on. */
export async function printFaults({ state, json }: Options): Promise<void> {
  const on = new Set((await call(state, "GET"))?.map(({ name }) => name))
  const rows = Object.entries(faultPresets).map(([name, { summary }]) => ({
    name,
    on: on.has(name),
    summary,
  }))
  if (json) return print(JSON.stringify(rows))
  print(table(rows.map(({ name, on: isOn, summary }) => [isOn ? `${name} (on)` : name, summary])))
}

/** Replaces what is on. */
export async function setFault(name: string, { state }: Options): Promise<void> {
  const preset = faultPresets[name]
  await call(state, "PUT", { rules: preset === undefined ? [] : [{ name, ...preset.rule }] })
  say(preset === undefined ? "No faults." : `From now on ${preset.summary}. Stop it with "off".`)
}

async function call(state: string, method: string, body?: object) {
  const response = await request(await expectRunning(state), "/local/faults", {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const { success, errors, result } = Answer.parse(await response.json())
  if (success) return result
  throw new Failure("USAGE", errors.map(({ message }) => message).join("; "))
}
