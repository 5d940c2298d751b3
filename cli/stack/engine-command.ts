import { join } from "node:path"

import { PulumiCommand } from "@pulumi/pulumi/automation/index.js"
import { SemVer } from "semver"

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
 * The engine as the Automation API starts it. Commands that call providers find them in this process.
 * `PulumiCommand.get` would start the engine only to learn its version.
 */
export function engineCommand(engine: Engine): PulumiCommand {
  const command: PulumiCommand = Reflect.construct(PulumiCommand, [
    join(engine.root, "bin", "pulumi"),
    new SemVer(engine.version),
  ])
  const { run: start }: { run: Run } = Object(command)
  const run: Run = async (args, directory, environment, ...rest) => {
    if (!calling.has(args[0] ?? "")) {
      return await start.call(command, args, directory, environment, ...rest)
    }
    await using providers = await openProviders(engine)
    const found = { ...environment, ...providers.environment }
    const stack = args[args.indexOf("--stack") + 1] ?? ""
    const blind = args[0] !== "refresh" && isUnreadable(engine, stack) ? ["--refresh=false"] : []
    return await start.call(command, [...args, ...blind], directory, found, ...rest)
  }
  return Object.assign(command, { run })
}
