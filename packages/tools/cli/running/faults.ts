import * as z from "zod"

import { Failure } from "../../base/failure.ts"
import { print, say, table } from "../output.ts"
import { expectRunning, request } from "../process/local-cloudflare.ts"
import { faultPresets } from "./fault-presets.ts"

type Options = { state: string; json: boolean }

const Answer = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ message: z.string() })),
  result: z.array(z.object({ name: z.string() })).nullable(),
})

/** Prints the available faults, and which are on. */
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

/** Replaces the active faults. */
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
