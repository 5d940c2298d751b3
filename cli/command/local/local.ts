import { Command } from "commander"

import { consoleCommand } from "./console.ts"
import { envCommand } from "./env.ts"
import { faultGroup } from "./fault/fault.ts"
import { logCommand } from "./log.ts"
import { mailCommand } from "./mail.ts"
import { resetCommand } from "./reset.ts"
import { statusCommand } from "./status.ts"
import { wranglerConfigCommand } from "./wrangler-config.ts"

export const localGroup = new Command("local")
  .description("the environment on this machine")
  .addCommand(envCommand)
  .addCommand(statusCommand)
  .addCommand(logCommand)
  .addCommand(consoleCommand)
  .addCommand(mailCommand)
  .addCommand(resetCommand)
  .addCommand(wranglerConfigCommand)
  .addCommand(faultGroup)
