import { Command } from "commander"

import { localCommand, localOptions, type LocalFlags } from "../../command-options.ts"
import { print } from "../../output.ts"
import { faultCommand } from "./fault.ts"
import { logCommand } from "./log.ts"
import { resetCommand } from "./reset.ts"

const envCommand = localCommand("env")
  .description(
    'print the variables for `pulumi` and `wrangler` on `local`: eval "$(./accounts local env)"',
  )
  .action(async (flags: LocalFlags) => {
    const { printEnvironment } = await import("../../stack/local-clients.ts")
    await printEnvironment(localOptions(flags))
  })

const statusCommand = localCommand("status")
  .description("show what is running; exit code 1 if nothing is")
  .action(async (flags: LocalFlags) => {
    const { printStatus } = await import("../../running/status.ts")
    await printStatus(localOptions(flags))
  })

const mailCommand = localCommand("mail")
  .description("print the e-mails that the service sent")
  .option("--follow", "keep printing new e-mails until Ctrl-C")
  .action(async ({ follow = false, ...flags }: LocalFlags & { follow?: boolean }) => {
    const { printEmails } = await import("../../running/emails.ts")
    await printEmails({ ...localOptions(flags), follow })
  })

const wranglerConfigCommand = localCommand("wrangler-config")
  .description("write a wrangler config for the deployed Worker and print its path")
  .action(async (flags: LocalFlags) => {
    const { writeWranglerConfig } = await import("../../stack/local-clients.ts")
    const { json, ...options } = localOptions(flags)
    const path = await writeWranglerConfig(options)
    print(json ? JSON.stringify({ path }) : path)
  })

export const localGroup = new Command("local")
  .description("the environment on this machine")
  .addCommand(envCommand)
  .addCommand(statusCommand)
  .addCommand(logCommand)
  .addCommand(mailCommand)
  .addCommand(resetCommand)
  .addCommand(wranglerConfigCommand)
  .addCommand(faultCommand)
