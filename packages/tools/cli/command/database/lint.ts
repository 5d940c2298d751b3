import { lintCommand } from "@accounts-stack/d1-migrations/command"

import { ownProgram } from "./own-program.ts"

export const databaseLintCommand = lintCommand(ownProgram)
