import { Command, Option } from "commander"

import { Failure } from "../../../base/failure.ts"
import { wholeNumber } from "../../command-options.ts"
import { print, say } from "../../output.ts"

const help = `
The schema of the commit that the branch comes from is made in a local D1, every table gets rows, and
the branch's files are applied as a deployment applies them while the version of that commit serves: a
file that takes what it uses is refused.

Nothing leaves this machine, and no key is needed. Files that are not committed are rehearsed, too.

Exit code 0: no row is lost undeclared, and nothing that the version of before uses. 1: not so.
2: wrong usage, or the base is not in this clone.

Examples:
  ./accounts database rehearse
  ./accounts database rehearse --from origin/main --rows 1000
  ./accounts database rehearse --from origin/main --markdown >> "$GITHUB_STEP_SUMMARY"
`

type Flags = { from: string; rows: number; json?: true; markdown?: true }

const rows = wholeNumber({ from: 1, to: 10_000, message: "Rows are a number from 1 to 10000." })

export const databaseRehearseCommand = new Command("rehearse")
  .description("try this branch's migrations on the base's schema with rows, in a local D1")
  .option("--from <commit>", "the base: where the branch comes from", "main")
  .option("--rows <number>", "rows of each table; a second run has 10 times as many", rows, 100)
  .addOption(new Option("--json", "print one JSON document on stdout").conflicts("markdown"))
  .option("--markdown", "print a section for a pull request's comment")
  .addHelpText("after", help)
  .action(async ({ from, rows: count, json, markdown }: Flags) => {
    const { root } = await import("../../../base/root.ts")
    const { readBaseCommit } = await import("../../rehearsal/base-commit.ts")
    const { openScratchAccount } = await import("../../rehearsal/scratch-account.ts")
    const { readBaseUse: readUse } = await import("../../rehearsal/base-use.ts")
    const { rehearseBranch, toldOf } = await import("../../rehearsal/rehearse-branch.ts")
    const { problemsOf, rehearsalMarkdown, rehearsalText } =
      await import("@accounts-stack/d1-migrations")
    const { untilInterrupted } = await import("../../interruption.ts")
    const base = readBaseCommit(root, from)
    const options = { root, base, rows: count, readUse, openAccount: openScratchAccount, say }
    const rehearsal = await untilInterrupted("Nothing was left behind.", (signal) =>
      rehearseBranch({ ...options, signal }),
    )
    const problems = problemsOf(rehearsal)
    const describe = markdown ? rehearsalMarkdown : rehearsalText
    print(
      json ? JSON.stringify({ ...rehearsal, problems }) : describe(rehearsal, toldOf(rehearsal)),
    )
    if (problems.length === 0) return
    throw new Failure("COMMAND_FAILED", "These migrations cannot be merged as they are; see above.")
  })
