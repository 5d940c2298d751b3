import { moveCommand, runMove, type MoveFlags } from "./move-command.ts"

export const releaseCancelCommand = moveCommand("cancel")
  .description("give the traffic of a split back to what served before it")
  .action((flags: MoveFlags) =>
    runMove(flags, {
      question: "Cancel the release of",
      plan: (moves, site) => moves.planCancel(site),
    }),
  )
