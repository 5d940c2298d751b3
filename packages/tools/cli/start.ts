import { dirname } from "node:path"

import { Command } from "commander"

import { localCommand, type LocalFlags, portOption, withJson } from "./command-options.ts"
import { print } from "./output.ts"

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
      webPort,
      ...flags
    }: LocalFlags & { once: boolean; fresh: boolean; webPort?: number }) => {
      const { start } = await import("./start/start.ts")
      const { keepWebPort } = await import("./process/web-port.ts")
      if (webPort !== undefined) keepWebPort(flags.state, webPort)
      await start(flags)
    },
  )

export const engineCommand = withJson(new Command("engine"))
  .description("print the directory of the Pulumi engine; downloads or builds it if there is none")
  .option("--engine <path>", "check this engine instead")
  .action(async ({ engine: enginePath, json }: { engine?: string; json?: boolean }) => {
    const { findEngine } = await import("./engine/engine.ts")
    const engine = await findEngine({ enginePath })
    print(json ? JSON.stringify(engine) : dirname(engine.command))
  })
