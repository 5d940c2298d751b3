import * as z from "zod"

import { Failure, print, say, table } from "../output.ts"
import { expectRunning } from "../process/local-cloudflare.ts"

type Options = { state: string; json: boolean }

const Rule = z.looseObject({
  name: z.string(),
  match: z.looseObject({ surface: z.string() }),
  action: z.looseObject({ type: z.string() }),
  seen: z.number(),
  fired: z.number(),
})
const Answer = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ message: z.string() })),
  result: z.unknown(),
})

/** The rules by which the local Cloudflare spoils requests, and how often each of them did. */
export async function listFaults({ state, json }: Options): Promise<void> {
  const rules = z.array(Rule).parse(await call(state, { method: "GET" }))
  if (json) return print(JSON.stringify(rules))
  if (rules.length === 0) return say("Nothing is spoilt.")
  print(table(rules.map((rule) => [rule.name, describe(rule)])))
}

/** `text` is a rule in JSON, as docs/local-cloudflare.md tells. */
export async function addFault(text: string, { state, json }: Options): Promise<void> {
  const rule = Rule.parse(await call(state, { method: "POST", body: text }))
  print(json ? JSON.stringify(rule) : rule.name)
}

/** A mixture of rules in place of all that there were. */
export async function presetFaults(
  { preset, seed }: { preset: string; seed: number },
  options: Options,
): Promise<void> {
  await call(options.state, { method: "PUT", body: JSON.stringify({ preset, seed }) })
  await listFaults(options)
}

/** Without a name, all of them. */
export async function clearFaults(name: string | undefined, { state }: Options): Promise<void> {
  const path = name === undefined ? "" : `/${encodeURIComponent(name)}`
  await call(state, { method: "DELETE", path })
  say(name === undefined ? "Nothing is spoilt any more." : `${name} is gone.`)
}

function describe({ match, action, seen, fired }: z.infer<typeof Rule>): string {
  const { surface, ...narrower } = match
  const { type, ...how } = action
  const where = Object.entries(narrower).map(([key, value]) => `${key} ${String(value)}`)
  // What a rule leaves as it is need not be read.
  const said = Object.entries(how).filter(
    ([, value]) => !["false", "{}"].includes(JSON.stringify(value)),
  )
  const details = said.map(([key, value]) => `${key} ${JSON.stringify(value)}`)
  return `${[type, ...details].join(", ")} on ${[surface, ...where].join(", ")}: ${fired} of ${seen}`
}

type Call = { method: string; path?: string; body?: string }

async function call(state: string, { method, path = "", body }: Call): Promise<unknown> {
  const running = await expectRunning(state)
  const response = await fetch(new URL(`/local/faults${path}`, running.api), {
    method,
    headers: { authorization: `Bearer ${running.token}`, "content-type": "application/json" },
    ...(body !== undefined && { body }),
  })
  const { success, errors, result } = Answer.parse(await response.json())
  if (success) return result
  throw new Failure(errors.map(({ message }) => message).join("; "), { exitCode: 2 })
}
