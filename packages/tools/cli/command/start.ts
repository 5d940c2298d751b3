import { localCommand, localOptions, type LocalFlags } from "../command-options.ts"

export const startCommand = localCommand("start")
  .description("deploy `local`, keep it running and redeploy on every change")
  .option("--fresh", "empty the database first, and make it again")
  .option("--once", "deploy once, check that it is ready and stop again")
  .action(
    async ({
      once = false,
      fresh = false,
      ...flags
    }: LocalFlags & { once?: boolean; fresh?: boolean }) => {
      const { start } = await import("../start/start.ts")
      await start({ ...localOptions(flags), once, fresh })
    },
  )
