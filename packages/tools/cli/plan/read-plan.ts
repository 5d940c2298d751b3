import type { Stack } from "@pulumi/pulumi/automation/index.js"

import { Failure } from "../../base/failure.ts"
import { migrationsDirectory } from "../../base/root.ts"
import { readMigrations } from "../../environment/own-names.ts"
import { type OperationOptions, planEvents } from "../stack/stack.ts"
import { readLive } from "./live.ts"
import { makePlan, type Plan } from "./plan.ts"
import { readSteps } from "./step.ts"

/** Lets the engine plan, and says of its events what `up` would do. */
export async function readPlan(stack: Stack, options: OperationOptions): Promise<Plan> {
  const engine = readSteps(await planEvents(stack, options))
  const live = await readLive(engine, stack)
  const files = await readMigrations(migrationsDirectory)
  return makePlan({ stack: stack.name, engine, files, live })
}

/** @throws Failure unless what would be done now is what was approved */
export function expectPlan({ stack, digest }: Plan, approved: string): void {
  if (digest === approved) return
  throw new Failure(
    "COMMAND_FAILED",
    `What up would change in ${stack} now is not the plan ${approved}: its digest is ${digest}. ` +
      `Nothing was changed. Read the plan above, and approve it by its digest.`,
  )
}
