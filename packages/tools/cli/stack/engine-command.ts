import { PulumiCommand } from "@pulumi/pulumi/automation/index.js"
import { SemVer } from "semver"

import { run as runInOwnGroup } from "../engine/executable.ts"
import type { Engine } from "./engine.ts"
import { openProviders } from "./in-process-providers.ts"
import { isUnreadable } from "./selected-stack.ts"

type Run = (
  args: string[],
  directory: string,
  environment: Record<string, string>,
  ...rest: unknown[]
) => Promise<unknown>

/** Commands of the engine that call providers. */
const calling = new Set(["destroy", "preview", "refresh", "up"])

/**
 * The engine as the Automation API starts it, by the one method of it that is replaced here: `run`.
 * `PulumiCommand.get` would start the engine only to learn its version.
 */
export function engineCommand(engine: Engine, { ownGroup = false } = {}): PulumiCommand {
  const command: PulumiCommand = Reflect.construct(PulumiCommand, [
    engine.command,
    new SemVer(engine.version),
  ])
  const { run }: { run: Run } = Object(command)
  return Object.assign(command, {
    run: ownGroup ? inOwnGroup(engine) : withProviders(engine, run.bind(command)),
  })
}

/** Commands that call providers find them in this process. */
function withProviders(engine: Engine, start: Run): Run {
  return async (args, directory, environment, ...rest) => {
    if (!calling.has(args[0] ?? "")) return await start(args, directory, environment, ...rest)
    await using providers = await openProviders(engine)
    const found = { ...environment, ...providers.environment }
    const stack = args[args.indexOf("--stack") + 1] ?? ""
    const blind = args[0] !== "refresh" && isUnreadable(engine, stack) ? ["--refresh=false"] : []
    return await start([...args, ...blind], directory, found, ...rest)
  }
}

/** The terminal's Ctrl-C does not reach it. */
function inOwnGroup({ command }: Engine): Run {
  return async (args, cwd, environment) => {
    const env = { ...process.env, ...environment, PULUMI_AUTOMATION_API: "true" }
    const stdout = await runInOwnGroup({ command, args: [...args, "--non-interactive"], cwd, env })
    return { stdout, stderr: "", code: 0 }
  }
}
