import { localCommand, localOptions, type LocalFlags } from "../../command-options.ts"

export const envCommand = localCommand("env")
  .description(
    'print the variables for `pulumi` and `wrangler` on `local`: eval "$(./accounts local env)"',
  )
  .action(async (flags: LocalFlags) => {
    const { printEnvironment } = await import("../../stack/shell-environment.ts")
    await printEnvironment(localOptions(flags))
  })
