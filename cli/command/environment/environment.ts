import { Command } from "commander"

import { environmentCheckCommand } from "./check.ts"

export const environmentGroup = new Command("environment")
  .description("what the environments are, for reviewers: offline, without keys")
  .addCommand(environmentCheckCommand)
