import type { Command, Option } from "commander"

export type Suggestion = { name: string; description?: string }

/**
 * What may stand at the end of a command line, so that nobody has to look the verbs up in `--help`.
 * @param words the words before it, without the program's own name
 * @param partial what is typed of the last one, or ""
 * @param stacks names of stacks, asked for only where one is expected
 * @returns empty where a file or any text may stand
 */
export function suggest(
  cli: Command,
  { words, partial, stacks }: { words: string[]; partial: string; stacks: () => string[] },
): Suggestion[] {
  const { command, pending } = walk(cli, words)
  if (pending) return beginning(partial, valuesOf(pending, stacks))
  if (partial.startsWith("-")) return beginning(partial, optionsOf(command))
  const groups = visibleCommands(command).map((one) => ({
    name: one.name(),
    description: one.description(),
  }))
  const [argument] = command.registeredArguments
  const choices = (argument?.argChoices ?? []).map((name) => ({ name }))
  return beginning(partial, [...groups, ...choices])
}

/** The command that the words name, and the option whose value comes next. */
function walk(cli: Command, words: string[]): { command: Command; pending: Option | undefined } {
  let command = cli
  let pending: Option | undefined
  for (const word of words) {
    if (pending) {
      pending = undefined
    } else if (word.startsWith("-")) {
      const option = command.options.find(({ short, long }) => word === short || word === long)
      pending = option?.required ? option : undefined
    } else {
      // A hidden name completes as well once it is typed.
      command = command.commands.find((one) => one.name() === word) ?? command
    }
  }
  return { command, pending }
}

function valuesOf(option: Option, stacks: () => string[]): Suggestion[] {
  if (option.long === "--stack") return stacks().map((name) => ({ name }))
  return (option.argChoices ?? []).map((name) => ({ name }))
}

function optionsOf(command: Command): Suggestion[] {
  const options = command.createHelp().visibleOptions(command)
  return options.flatMap(({ long, description }) => (long ? [{ name: long, description }] : []))
}

function visibleCommands(command: Command): Command[] {
  return command.createHelp().visibleCommands(command)
}

function beginning(partial: string, all: Suggestion[]): Suggestion[] {
  return all.filter(({ name }) => name.startsWith(partial))
}
