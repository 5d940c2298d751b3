import { resolve } from "node:path"

import { Command } from "commander"

import { Failure } from "../../../base/failure.ts"
import { print } from "../../output.ts"

export const environmentCheckCommand = new Command("check")
  .description(
    "check every stack file by the rules of docs/environment-rules.md, and what is rendered",
  )
  .option("--directory <dir>", "folder of the stack files", "environments")
  .option("--json", "print one JSON document on stdout")
  .action(async ({ directory, json = false }: { directory: string; json?: boolean }) => {
    const { checkEnvironments } = await import("../../../infra/environment/check.ts")
    const { checkOwners } = await import("../../../infra/environment/code-owners.ts")
    const { findStale } = await import("../../../infra/environment/effective/stale.ts")
    const { describeChecked } = await import("../../environment/describe-checked.ts")
    const { expectStackFiles } = await import("../../environment/expect-stack-files.ts")
    expectStackFiles(directory)
    const environments = checkEnvironments(directory)
    const stale = await findStale(directory)
    const owners = checkOwners(resolve(directory, ".."), environments)
    if (json) print(JSON.stringify({ environments, stale, owners }))
    else print(describeChecked(environments, { stale, owners }))
    const refused = [...environments, owners].flatMap((one) => one.refused).length
    const problems = [
      ...(refused === 0 ? [] : [refused === 1 ? "1 finding" : `${refused} findings`]),
      ...(stale.length === 0 ? [] : [`${stale.length} stale: ./accounts environment render`]),
    ]
    if (problems.length === 0) return
    throw new Failure("COMMAND_FAILED", `${directory}: ${problems.join(", ")}.`)
  })
