import { dirname } from "node:path"

import { Command } from "commander"

import { print } from "../output.ts"

export const engineCommand = new Command("engine")
  .description("print the directory of the Pulumi engine; downloads or builds it if there is none")
  .option("--engine <path>", "check this engine instead")
  .option("--json", "print one JSON document on stdout")
  .action(async ({ engine: enginePath, json }: { engine?: string; json?: boolean }) => {
    const { findEngine } = await import("../engine/engine.ts")
    const found = await findEngine({ enginePath })
    print(json ? JSON.stringify(found) : dirname(found.command))
  })
