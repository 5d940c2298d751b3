import { localCommand, localOptions, type LocalFlags } from "../../command-options.ts"

export const consoleCommand = localCommand("console")
  .description("print a link that opens the read-only console page in one browser")
  .option("--open", "open the link as well")
  .action(async ({ open = false, ...flags }: LocalFlags & { open?: boolean }) => {
    const { openConsole } = await import("../../running/console-link.ts")
    await openConsole({ ...localOptions(flags), open })
  })
