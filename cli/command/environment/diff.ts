import { Command, Option } from "commander"

import { Failure } from "../../../failure.ts"
import { print } from "../../output.ts"

type Flags = { directory: string; markdown?: boolean; json?: boolean }

export const environmentDiffCommand = new Command("diff")
  .argument("<one>", "an environment, such as staging")
  .argument("<other>", "another, such as production")
  .description("show what differs between two environments, and what has to")
  .option("--directory <dir>", "folder of the stack files", "environments")
  .option("--markdown", "print a table of Markdown")
  .addOption(new Option("--json", "print one JSON document on stdout").conflicts("markdown"))
  .action(async (one: string, other: string, { directory, markdown, json }: Flags) => {
    const { renderEnvironments } = await import("../../../infra/environment/effective/rendered.ts")
    const { compareEnvironments } = await import("../../../infra/environment/effective/compare.ts")
    const { differencesForPeople, differencesInMarkdown } =
      await import("../../environment/describe-differences.ts")
    const rendered = await renderEnvironments(directory)
    const [left, right] = [one, other].map((name) => {
      const found = rendered.find(({ stack }) => stack === name)
      if (found?.text !== undefined) return { name, text: found.text }
      const known = rendered.map(({ stack }) => stack).join(", ")
      throw new Failure(
        "USAGE",
        `${name} is no environment of ${directory} that can be read: ${known}.`,
      )
    })
    if (!left || !right) return
    const differences = compareEnvironments(left, right)
    if (json) print(JSON.stringify(differences))
    else if (markdown) print(differencesInMarkdown([one, other], differences))
    else print(differencesForPeople([one, other], differences))
  })
