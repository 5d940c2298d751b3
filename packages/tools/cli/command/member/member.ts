import { Command } from "commander"

import { stackCommand, type StackFlags, stackOptions } from "../../command-options.ts"

const signOutCommand = stackCommand("sign-out")
  .argument("<email>", "the address of the user")
  .description("end every session of a user and remove the password, until it is reset by e-mail")
  .action(async (email: string, flags: StackFlags) => {
    const { signOutMember } = await import("../../member/sign-out-member.ts")
    await signOutMember(email, stackOptions(flags))
  })

export const memberGroup = new Command("member")
  .description("users whose account somebody else has got into")
  .addCommand(signOutCommand)
