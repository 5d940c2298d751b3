import type { Stack } from "@pulumi/pulumi/automation/index.js"

import { print, say } from "../output.ts"
import { summarizeChanges } from "./change-summary.ts"
import { destroy, expectDeletable, type OperationOptions, planDestroy } from "./stack.ts"

type Destruction = {
  /** Only says what would be deleted. */
  dryRun: boolean
  json: boolean
  operation?: OperationOptions
}

/** Deletes all of a stack, or says what that would delete. */
export async function destroyOrPlan(stack: Stack, { dryRun, json, operation }: Destruction) {
  if (!dryRun) await expectDeletable(stack, operation)
  const changes = await (dryRun ? planDestroy : destroy)(stack, operation)
  say(`${dryRun ? "Nothing was deleted. It would be: " : ""}${summarizeChanges(changes)}`)
  if (json) print(JSON.stringify({ stack: stack.name, changes, dryRun }))
}
