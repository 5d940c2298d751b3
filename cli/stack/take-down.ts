import { rmSync } from "node:fs"

import { Failure } from "../../base/failure.ts"
import type { PreviewChoice } from "../branch/preview-stack.ts"
import { openPreview } from "../branch/preview.ts"
import { findLeftovers, readSubject } from "../repair/namesakes.ts"
import { destroy, planDestroy, type Changes } from "./stack.ts"

type Options = PreviewChoice & { template: string | undefined }

/** What `takeDown` would delete, by the engine. */
export async function planTakeDown(name: string, options: Options): Promise<Changes> {
  await using preview = await openPreview(name, options)
  return await planDestroy(preview.stack)
}

/**
 * Deletes a preview, its database and its stack.
 * @throws Failure if the account still has something of it; the stack stays, to try again
 */
export async function takeDown(name: string, options: Options): Promise<Changes> {
  await using preview = await openPreview(name, options)
  const { stack, api, project } = preview
  const changes = await destroy(stack)
  const left = await findLeftovers(readSubject(project), api)
  if (left.length > 0) {
    throw new Failure(
      "COMMAND_FAILED",
      `${name} was destroyed, but the account still has: ${left.join(", ")}. Delete it there, then run this again.`,
    )
  }
  await stack.workspace.removeStack(stack.name)
  rmSync(project.directory, { recursive: true })
  return changes
}
