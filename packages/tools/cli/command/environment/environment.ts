import { resolve } from "node:path"

import { Command } from "commander"

import { counted } from "../../../base/counted.ts"
import { Failure } from "../../../base/failure.ts"
import { print, say } from "../../output.ts"

const environmentCheckCommand = new Command("check")
  .description(
    "check every stack file by the rules of docs/environment-rules.md, and what is rendered",
  )
  .option("--directory <dir>", "folder of the stack files", "environments")
  .option("--json", "print one JSON document on stdout")
  .action(async ({ directory, json = false }: { directory: string; json?: boolean }) => {
    const { checkEnvironments } = await import("../../../environment/check.ts")
    const { checkOwners } = await import("../../../environment/code-owners.ts")
    const { findStale } = await import("../../../environment/effective/stale.ts")
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
      ...(refused === 0 ? [] : [counted(refused, "finding")]),
      ...(stale.length === 0 ? [] : [`${stale.length} stale: ./accounts environment render`]),
    ]
    if (problems.length === 0) return
    throw new Failure("COMMAND_FAILED", `${directory}: ${problems.join(", ")}.`)
  })

const environmentRenderCommand = new Command("render")
  .description("write <stack>.effective.yaml: what each environment is, for reviewers")
  .option("--directory <dir>", "folder of the stack files", "environments")
  .option("--json", "print one JSON document on stdout")
  .action(async ({ directory, json = false }: { directory: string; json?: boolean }) => {
    const { writeFileSync } = await import("node:fs")
    const { renderEnvironments } = await import("../../../environment/effective/rendered.ts")
    const { expectStackFiles } = await import("../../environment/expect-stack-files.ts")
    expectStackFiles(directory)
    const written: string[] = []
    for (const { path, text, committed } of await renderEnvironments(directory)) {
      if (text === undefined) {
        say(`${path} is not rendered: its stack file cannot be read (./accounts environment check)`)
        continue
      }
      if (text === committed) continue
      writeFileSync(path, text)
      written.push(path)
    }
    if (json) return print(JSON.stringify({ written }))
    say(written.length === 0 ? "Nothing has changed." : `Written: ${written.join(", ")}`)
  })

export const environmentGroup = new Command("environment")
  .description("what the environments are, for reviewers: offline, without keys")
  .addCommand(environmentCheckCommand)
  .addCommand(environmentRenderCommand)
