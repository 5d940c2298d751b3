import { Command } from "commander"

import { releaseCandidateCommand } from "./candidate.ts"
import { releaseListCommand } from "./list.ts"
import { releaseCancelCommand, releaseFinishCommand, releaseRollbackCommand } from "./moves.ts"
import { releaseStatusCommand } from "./status.ts"

export const releaseGroup = new Command("release")
  .description("what serves a stack, what served before, and the ways back and on")
  .addCommand(releaseStatusCommand)
  .addCommand(releaseListCommand)
  .addCommand(releaseRollbackCommand)
  .addCommand(releaseFinishCommand)
  .addCommand(releaseCancelCommand)
  .addCommand(releaseCandidateCommand)
