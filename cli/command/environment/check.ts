import { Command } from "commander"

import { Failure } from "../../../failure.ts"
import { print } from "../../output.ts"

export const environmentCheckCommand = new Command("check")
  .description("check every stack file by the rules of docs/environment-rules.md")
  .option("--directory <dir>", "folder of the stack files", "environments")
  .option("--json", "print one JSON document on stdout")
  .action(async ({ directory, json = false }: { directory: string; json?: boolean }) => {
    const { checkEnvironments } = await import("../../../infra/environment/check.ts")
    const { describeChecked } = await import("../../environment/describe-checked.ts")
    const checked = checkEnvironments(directory)
    if (checked.length === 0) {
      throw new Failure(
        "USAGE",
        `${directory} has no Pulumi.<stack>.yaml: name the folder with --directory.`,
      )
    }
    if (json) print(JSON.stringify(checked))
    else print(describeChecked(checked))
    const refused = checked.flatMap((one) => one.refused).length
    if (refused === 0) return
    const what = refused === 1 ? "1 finding" : `${refused} findings`
    throw new Failure("COMMAND_FAILED", `${what} in ${directory}.`)
  })
