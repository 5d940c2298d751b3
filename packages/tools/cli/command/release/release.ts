import { Command } from "commander"

import { releaseCandidateCommand } from "./candidate.ts"
import { releaseListCommand } from "./list.ts"
import { releaseRollbackCommand } from "./moves.ts"
import { releaseStatusCommand } from "./status.ts"

export const releaseGroup = new Command("release")
  .description("what serves a stack, what served before, and the way back")
  .addCommand(releaseStatusCommand)
  .addCommand(releaseListCommand)
  .addCommand(releaseRollbackCommand)
  .addCommand(releaseCandidateCommand)
