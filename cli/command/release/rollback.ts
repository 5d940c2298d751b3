import { moveCommand, runMove, type MoveFlags } from "./move-command.ts"

export const releaseRollbackCommand = moveCommand("rollback")
  .argument("[version]", "id of a version that gets all traffic; default: what served before")
  .description("give the traffic back to what served before, or to a former version")
  .action((version: string | undefined, flags: MoveFlags) =>
    runMove(flags, {
      question: "Give former versions the traffic of",
      plan: (moves, site) => moves.planRollback(site, version),
    }),
  )
