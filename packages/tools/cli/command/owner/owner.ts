import { Command } from "commander"

import { stackCommand, type StackFlags, stackOptions } from "../../command-options.ts"

const grantCommand = stackCommand("grant")
  .argument("<email>", "the address that the user signed up with")
  .description("make a user the first owner of an environment")
  .option(
    "--unverified",
    "skip the e-mail verification check (never allowed in staging or production)",
  )
  .action(
    async (
      email: string,
      { unverified = false, ...flags }: StackFlags & { unverified?: boolean },
    ) => {
      const { grantOwner } = await import("../../owner/grant-owner.ts")
      await grantOwner(email, { ...stackOptions(flags), unverified })
    },
  )

export const ownerGroup = new Command("owner")
  .description("users who can make others owner or admin")
  .addCommand(grantCommand)
