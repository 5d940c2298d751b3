import { Command } from "commander"

import { stackCommand, type StackFlags, stackOptions } from "../../command-options.ts"

const signOutCommand = stackCommand("sign-out")
  .argument("<email>", "the address of the user")
  .description("end every session of a user and remove the password, until it is reset by e-mail")
  .action(async (email: string, flags: StackFlags) => {
    const { signOutMember } = await import("../../member/sign-out-member.ts")
    await signOutMember(email, stackOptions(flags))
  })

const resetFactorCommand = stackCommand("reset-factor")
  .argument("<email>", "the address of the user")
  .description("take the second factor off an account whose app and recovery codes are lost")
  .action(async (email: string, flags: StackFlags) => {
    const { resetMembersFactor } = await import("../../member/reset-factor.ts")
    await resetMembersFactor(email, stackOptions(flags))
  })

export const memberGroup = new Command("member")
  .description("users who have lost their account, to somebody else or with a device")
  .addCommand(signOutCommand)
  .addCommand(resetFactorCommand)
