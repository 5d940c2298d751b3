import { Command } from "commander"

import { databaseBackupCommand } from "./backup.ts"
import { databaseBackupsCommand } from "./backups.ts"
import { databaseBaselineCommand } from "./baseline.ts"
import { databaseFixCommand } from "./fix.ts"
import { databaseLintCommand } from "./lint.ts"
import { databaseRehearseCommand } from "./rehearse.ts"
import { databaseRestoreCommand } from "./restore.ts"
import { databaseStatusCommand } from "./status.ts"

export const databaseGroup = new Command("database")
  .description(
    "migrations and databases: what a file would lose, how it is written safely, and ways out",
  )
  .addCommand(databaseStatusCommand)
  .addCommand(databaseBackupCommand)
  .addCommand(databaseBackupsCommand)
  .addCommand(databaseRestoreCommand)
  .addCommand(databaseBaselineCommand)
  .addCommand(databaseLintCommand)
  .addCommand(databaseFixCommand)
  .addCommand(databaseRehearseCommand)
