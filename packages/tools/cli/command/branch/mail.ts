import type { Command } from "commander"

import { Failure } from "../../../base/failure.ts"
import { branchCommand, type BranchFlags, branchOptions } from "../../command-options.ts"
import { print, printable, say } from "../../output.ts"

export function branchMailCommand(): Command {
  return branchCommand("mail")
    .argument("[branch]", "or a name as `branch list` prints it; default: the current branch")
    .description("show the e-mails that a preview keeps (accounts:keepMail), the newest last")
    .action(async (name: string | undefined, flags: BranchFlags) => {
      const { currentBranch } = await import("../../branch/branch-name.ts")
      const { openPreviewAccount } = await import("../../branch/held-previews.ts")
      const { namedPreview } = await import("../../branch/preview-stack.ts")
      const { json, ...options } = branchOptions(flags)
      await using account = await openPreviewAccount(options)
      const all = await account.held()
      const known = Array.from(all.keys(), (one) => ({ name: one }))
      const letters = await account.letters(all.get(namedPreview(name, known)))
      if (letters === undefined) {
        throw new Failure(
          "COMMAND_FAILED",
          `The account has no preview of ${name ?? currentBranch()}.`,
        )
      }
      if (json) return print(JSON.stringify(letters))
      if (letters.length === 0) say("It keeps no e-mail: accounts:keepMail in its template does.")
      for (const { at, to, subject, text } of letters) {
        print(
          [`${at}  to ${to}: ${subject}`, "", ...text.split("\n"), ""].map(printable).join("\n"),
        )
      }
    })
}
