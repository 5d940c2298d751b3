import { moveCommand, runMove, type MoveFlags } from "./move-command.ts"

export const releaseFinishCommand = moveCommand("finish")
  .argument("[version]", "id of one of the two versions; default: the newer one")
  .description("give all traffic to the new version of a split that a killed release left")
  .action((version: string | undefined, flags: MoveFlags) =>
    runMove(flags, {
      question: "Give the new version all traffic of",
      plan: (moves, site) => moves.planFinish(site, version),
    }),
  )
