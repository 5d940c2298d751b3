import { localCommand, localOptions, type LocalFlags, portOption } from "../command-options.ts"

export const startCommand = localCommand("start")
  .description("deploy `local`, keep it running and redeploy on every change")
  .option("--fresh", "empty the database first, and make it again")
  .addOption(
    portOption(
      "--web-port <number>",
      "port of the front end, from now on; 0: as the stack file says",
    ),
  )
  .option("--once", "deploy once, check that it is ready and stop again")
  .action(
    async ({
      once = false,
      fresh = false,
      webPort,
      ...flags
    }: LocalFlags & { once?: boolean; fresh?: boolean; webPort?: number }) => {
      const { start } = await import("../start/start.ts")
      const { keepWebPort } = await import("../process/web-port.ts")
      if (webPort !== undefined) keepWebPort(localOptions(flags).state, webPort)
      await start({ ...localOptions(flags), once, fresh })
    },
  )
