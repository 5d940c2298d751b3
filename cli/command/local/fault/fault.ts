import { Command } from "commander"

import { faultAddCommand } from "./add.ts"
import { faultClearCommand } from "./clear.ts"
import { faultListCommand } from "./list.ts"

export const faultGroup = new Command("fault")
  .description("make the local Cloudflare fail on purpose")
  .addCommand(faultListCommand)
  .addCommand(faultAddCommand)
  .addCommand(faultClearCommand)
