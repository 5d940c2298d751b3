import { Command } from "commander"

import { Failure } from "../../../base/failure.ts"
import { stateOption } from "../../command-options.ts"
import { withStack } from "../../stack-option.ts"

export type SecretFlags = { stack: string; directory: string; state: string; engine?: string }

/** A command that writes one secret of a stack. */
export function secretCommand(name: string): Command {
  return withStack(new Command(name))
    .usage("<name> -s <stack> [options]")
    .argument("<name>", "name of the secret, as docs/bindings.md has it")
    .argument("[value...]", "refused: a value is piped in, or typed at the prompt")
    .option("--directory <dir>", "folder of the stack files", "environments")
    .addOption(stateOption())
    .option("--engine <path>", "Pulumi engine to use instead of searching for one")
    .hook("preAction", (_, { args }) => expectNameAlone(args))
}

/** @throws Failure where a value stands on the command line, without repeating it */
function expectNameAlone([name = "", ...values]: string[]): void {
  if (values.length === 0 && !name.includes("=")) return
  throw new Failure(
    "USAGE",
    "A secret is no argument: it would stand in the list of processes and in the history of the shell. Pipe it in, or leave it out and type it at the prompt. Take another value than this one.",
  )
}
