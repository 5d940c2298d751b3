import * as z from "zod"

import { Failure } from "../../base/failure.ts"
import { parseJson } from "../../provider/parse-json.ts"
import { print, say, table } from "../output.ts"
import { expectRunning, request } from "../process/local-cloudflare.ts"

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

export async function printFaults({ state, json }: Options): Promise<void> {
  const rules = z.array(Rule).parse(await call(state, { method: "GET" }))
  if (json) return print(JSON.stringify(rules))
  if (rules.length === 0) return say("No rules: no faults are injected.")
  print(table(rules.map((rule) => [rule.name, describe(rule)])))
}

/** @param text the rule in JSON, as docs/local-cloudflare.md describes it */
export async function addFault(text: string, { state, json }: Options): Promise<void> {
  if (parseJson(text) === undefined) {
    const example = '{"match": {"surface": "api"}, "action": {"type": "reset"}}'
    throw new Failure("USAGE", `The rule is not JSON: ${text}. Write one such as '${example}'`)
  }
  const rule = Rule.parse(await call(state, { method: "POST", body: text }))
  print(json ? JSON.stringify(rule) : rule.name)
}

/** Removes one rule, or all of them if there is no name. */
export async function clearFaults(name: string | undefined, { state }: Options): Promise<void> {
  const path = name === undefined ? "" : `/${encodeURIComponent(name)}`
  await call(state, { method: "DELETE", path })
  say(name === undefined ? "Removed all rules." : `Removed ${name}.`)
}

function describe({ match, action, seen, fired }: z.infer<typeof Rule>): string {
  const { surface, ...narrower } = match
  const { type, ...settings } = action
  const where = Object.entries(narrower).map(([key, value]) => `${key} ${String(value)}`)
  const details = Object.entries(settings)
    .map(([key, value]): [string, string] => [key, JSON.stringify(value)])
    .filter(([, value]) => !["false", "{}"].includes(value))
    .map(([key, value]) => `${key} ${value}`)
  return `${[type, ...details].join(", ")} on ${[surface, ...where].join(", ")}: fired ${fired} of ${seen} times`
}

type Call = { method: string; path?: string; body?: string }

async function call(state: string, { method, path = "", body }: Call): Promise<unknown> {
  const response = await request(await expectRunning(state), `/local/faults${path}`, {
    method,
    ...(body !== undefined && { body }),
  })
  const { success, errors, result } = Answer.parse(await response.json())
  if (success) return result
  throw new Failure("USAGE", errors.map(({ message }) => message).join("; "))
}
