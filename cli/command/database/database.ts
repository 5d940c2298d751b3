import { Command } from "commander"

import { databaseFixCommand } from "./fix.ts"
import { databaseLintCommand } from "./lint.ts"

export const databaseGroup = new Command("database")
  .description("migrations and databases: what a file would lose, and how it is written safely")
  .addCommand(databaseLintCommand)
  .addCommand(databaseFixCommand)
