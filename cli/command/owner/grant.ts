import { localOptions, stackCommand, type LocalFlags } from "../../command-options.ts"
import { withStack } from "../../stack-option.ts"

type Flags = LocalFlags & { stack: string; local?: boolean; unverified?: boolean }

export const ownerGrantCommand = withStack(stackCommand("grant", "the stack is a preview"))
  .argument("<email>", "the address that the user signed up with")
  .description("make a user the first owner of an environment")
  .option(
    "--unverified",
    "skip the e-mail verification check (never allowed in staging or production)",
  )
  .action(async (email: string, { stack, local = false, unverified = false, ...flags }: Flags) => {
    const { grantOwner } = await import("../../owner/grant-owner.ts")
    await grantOwner(email, { ...localOptions(flags), stack, local, unverified })
  })
