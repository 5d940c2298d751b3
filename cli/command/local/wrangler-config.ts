import { localCommand, localOptions, type LocalFlags } from "../../command-options.ts"
import { print } from "../../output.ts"

export const wranglerConfigCommand = localCommand("wrangler-config")
  .description("write a temporary wrangler config for the deployed Worker and print its path")
  .action(async (flags: LocalFlags) => {
    const { writeWranglerConfig } = await import("../../stack/wrangler-config.ts")
    const { json, ...options } = localOptions(flags)
    const path = await writeWranglerConfig(options)
    print(json ? JSON.stringify({ path }) : path)
  })
