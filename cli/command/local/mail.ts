import { localCommand, localOptions, type LocalFlags } from "../../command-options.ts"

export const mailCommand = localCommand("mail")
  .description("print the e-mails that the service sent")
  .option("--follow", "keep printing new e-mails until Ctrl-C")
  .action(async ({ follow = false, ...flags }: LocalFlags & { follow?: boolean }) => {
    const { printEmails } = await import("../../running/emails.ts")
    await printEmails({ ...localOptions(flags), follow })
  })
