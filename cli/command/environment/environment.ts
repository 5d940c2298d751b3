import { Command } from "commander"

import { environmentCheckCommand } from "./check.ts"
import { environmentRenderCommand } from "./render.ts"

export const environmentGroup = new Command("environment")
  .description("what the environments are, for reviewers: offline, without keys")
  .addCommand(environmentCheckCommand)
  .addCommand(environmentRenderCommand)
