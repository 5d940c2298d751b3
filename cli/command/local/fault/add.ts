import { localCommand, localOptions, type LocalFlags } from "../../../command-options.ts"

export const faultAddCommand = localCommand("add")
  .argument("<rule>", "the rule, a JSON object")
  .description("add a rule (docs/local-cloudflare.md describes the format)")
  .action(async (rule: string, flags: LocalFlags) => {
    const { addFault } = await import("../../../running/faults.ts")
    await addFault(rule, localOptions(flags))
  })
