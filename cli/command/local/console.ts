import { localCommand, localOptions, type LocalFlags } from "../../command-options.ts"

export const consoleCommand = localCommand("console")
  .description("print a link that opens the read-only console page in one browser")
  .action(async (flags: LocalFlags) => {
    const { printConsoleLink } = await import("../../running/console-link.ts")
    await printConsoleLink(localOptions(flags))
  })
