import * as z from "zod"

import { Failure, messageOf } from "../../base/failure.ts"
import { root } from "../../base/root.ts"
import { TrialHeaders } from "../../deploy/release/shared-inputs.ts"
import { callEngine } from "./call-engine.ts"
import type { Engine } from "./engine.ts"

const key = "accounts:trialHeaders"

const Configuration = z.object({ [key]: z.object({ objectValue: TrialHeaders }) })

/**
 * What a release sends to pass Access or a WAF, opened with the key of the stack.
 * @param path the stack's file
 */
export async function openTrialHeaders(
  engine: Engine,
  { stack, path }: { stack: string; path: string },
): Promise<Record<string, string>> {
  const args = ["config", "--config-file", path, "--stack", stack, "--show-secrets", "--json"]
  try {
    const printed = await callEngine(engine, { directory: root, args })
    return Configuration.parse(JSON.parse(printed))[key].objectValue
  } catch (error) {
    const message = `${key} of ${stack} cannot be opened, and without them no request may reach the service: ${messageOf(error)}`
    throw new Failure("COMMAND_FAILED", message, { cause: error })
  }
}
