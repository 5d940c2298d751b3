import { Command } from "commander"

import { releaseCancelCommand } from "./cancel.ts"
import { releaseCandidateCommand } from "./candidate.ts"
import { releaseFinishCommand } from "./finish.ts"
import { releaseListCommand } from "./list.ts"
import { releaseRollbackCommand } from "./rollback.ts"
import { releaseStatusCommand } from "./status.ts"

export const releaseGroup = new Command("release")
  .description("what serves a stack, what served before, and the ways back and on")
  .addCommand(releaseStatusCommand)
  .addCommand(releaseListCommand)
  .addCommand(releaseRollbackCommand)
  .addCommand(releaseFinishCommand)
  .addCommand(releaseCancelCommand)
  .addCommand(releaseCandidateCommand)
