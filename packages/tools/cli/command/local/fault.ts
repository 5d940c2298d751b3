import { Argument } from "commander"

import { localCommand, localOptions, type LocalFlags } from "../../command-options.ts"
import { faultPresets } from "../../running/fault-presets.ts"

const names = [...Object.keys(faultPresets), "off"]

export const faultCommand = localCommand("fault")
  .addArgument(
    new Argument("[name]", "what is to fail, or off; without it they are listed").choices(names),
  )
  .description("make the local Cloudflare fail on purpose")
  .action(async (name: string | undefined, flags: LocalFlags) => {
    const { printFaults, setFault } = await import("../../running/faults.ts")
    const options = localOptions(flags)
    await (name === undefined ? printFaults(options) : setFault(name, options))
  })
