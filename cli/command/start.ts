import { localCommand, localOptions, type LocalFlags } from "../command-options.ts"

export const startCommand = localCommand("start")
  .description("deploy `local`, keep it running and redeploy on every change")
  .option("--once", "exit as soon as it is ready")
  .action(async ({ once = false, ...flags }: LocalFlags & { once?: boolean }) => {
    const { start } = await import("../start/start.ts")
    await start({ ...localOptions(flags), once })
  })
