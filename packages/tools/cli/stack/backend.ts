import * as z from "zod"

import { root } from "../../base/root.ts"
import { callEngine } from "./call-engine.ts"
import type { Engine } from "./engine.ts"

const StackSummary = z.object({
  name: z.string(),
  lastUpdate: z.string().optional(),
  updateInProgress: z.boolean().optional(),
})
export type StackSummary = z.infer<typeof StackSummary>

export async function listStacks(engine: Engine): Promise<StackSummary[]> {
  return z.array(StackSummary).parse(await query(engine, ["stack", "ls"]))
}

/** Outputs by name, secrets masked; empty for a stack that the backend does not know. */
export async function readOutputs(engine: Engine, stack: string): Promise<Record<string, unknown>> {
  const outputs = query(engine, ["stack", "output", "--stack", stack])
  const found = outputs.catch(async (error: unknown) => {
    if ((await listStacks(engine)).some(({ name }) => name === stack)) throw error
    return {}
  })
  return z.record(z.string(), z.unknown()).parse(await found)
}

/** Asks the engine itself: the Automation API takes seconds to load, and would create a missing stack. */
async function query(engine: Engine, args: string[]): Promise<unknown> {
  return JSON.parse(await callEngine(engine, { directory: root, args: [...args, "--json"] }))
}
