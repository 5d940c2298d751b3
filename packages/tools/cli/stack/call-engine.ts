import { Failure, messageOf } from "../../base/failure.ts"
import { withAdvice } from "../engine-output.ts"
import { run } from "../engine/executable.ts"
import type { Engine } from "./engine.ts"

/**
 * Runs a command of the engine in a directory with a Pulumi.yaml and returns its stdout.
 * @throws Failure with the engine's own words
 */
export async function callEngine(
  { command, environment }: Engine,
  { directory, args, input }: { directory: string; args: string[]; input?: string },
): Promise<string> {
  try {
    return await run({
      command,
      args: [...args, "--non-interactive"],
      cwd: directory,
      env: { ...process.env, ...environment },
      ...(input !== undefined && { input }),
    })
  } catch (error) {
    const text = withAdvice(messageOf(error).replace(/^error: /, ""))
    throw new Failure("COMMAND_FAILED", text, { cause: error })
  }
}
