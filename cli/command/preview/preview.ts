import { Command } from "commander"

import { previewDownCommand } from "./down.ts"
import { previewListCommand } from "./list.ts"
import { previewUpCommand } from "./up.ts"

export const previewGroup = new Command("preview")
  .description("one environment per branch")
  .addCommand(previewUpCommand)
  .addCommand(previewDownCommand)
  .addCommand(previewListCommand)
