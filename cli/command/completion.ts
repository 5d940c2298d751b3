import { readdirSync } from "node:fs"
import { join } from "node:path"

import { Argument, Command } from "commander"

import { root } from "../../base/root.ts"
import { suggest } from "../completion.ts"
import { shellQuote } from "../engine/shell-quote.ts"
import { print } from "../output.ts"

const shells = ["bash", "zsh"] as const

const help = `
Examples:
  source <(./accounts completion bash)     # this shell alone
  source <(./accounts completion zsh)
`

/** Prints the script that makes a shell ask `completion-server` on every Tab. */
export const completionCommand = new Command("completion")
  .addArgument(new Argument("<shell>", "the shell").choices(shells))
  .description("print a script that completes commands and options in a shell")
  .addHelpText("after", help)
  .action(async (shell: (typeof shells)[number]) => {
    const { default: tabtab } = await import("@pnpm/tabtab")
    const completer = shellQuote(join(root, "accounts"))
    print(await tabtab.getCompletionScript({ name: "accounts", completer, shell }))
  })

/** Answers a shell's Tab. Its words may be half a command, so nothing here may fail on them. */
export const completionServerCommand = new Command("completion-server")
  .argument("[words...]")
  .helpOption(false)
  .action(async (words: string[], _, command: Command) => {
    const { default: tabtab } = await import("@pnpm/tabtab")
    const last = Number(process.env["COMP_CWORD"]) || words.length - 1
    const found = suggest(command.parent ?? command, {
      words: words.slice(1, last),
      partial: words[last] ?? "",
      stacks: committedStacks,
    })
    tabtab.log(found, tabtab.getShellFromEnv(process.env))
  })

function committedStacks(): string[] {
  return readdirSync(join(root, "environments")).flatMap(
    (name) => /^Pulumi\.(.+)\.yaml$/.exec(name)?.[1] ?? [],
  )
}
