import { localCommand, localOptions, type LocalFlags } from "../command-options.ts"

export const startCommand = localCommand("start")
  .description("deploy `local`, keep it running and redeploy on every change")
  .option("--once", "deploy once, check that it is ready and stop again")
  .action(async ({ once = false, ...flags }: LocalFlags & { once?: boolean }) => {
    const { start } = await import("../start/start.ts")
    await start({ ...localOptions(flags), once })
  })
