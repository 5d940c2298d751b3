import { Command } from "commander"

import { fillFlags } from "./command-options.ts"
import { neverAsk } from "./confirm.ts"

/**
 * Commands by the heading of the help and by name. A run loads only its own command: loading all of them would
 * triple the startup time.
 */
const commandsByHeading: Record<string, Record<string, () => Promise<Command>>> = {
  "On this machine:": {
    start: async () => (await import("./start.ts")).startCommand,
    local: async () => (await import("./local.ts")).localGroup,
  },
  "Deploy a stack:": {
    plan: async () => (await import("./up.ts")).planCommand,
    up: async () => (await import("./up.ts")).upCommand,
    destroy: async () => (await import("./up.ts")).destroyCommand,
    repair: async () => (await import("./repair.ts")).repairCommand,
  },
  "Operate the service:": {
    account: async () => (await import("./member.ts")).accountGroup,
    branch: async () => (await import("./branch.ts")).branchGroup,
    database: async () => (await import("./database.ts")).databaseGroup,
    environment: async () => (await import("./environment.ts")).environmentGroup,
    member: async () => (await import("./member.ts")).memberGroup,
    owner: async () => (await import("./member.ts")).ownerGroup,
    release: async () => (await import("./release.ts")).releaseGroup,
    review: async () => (await import("./review.ts")).reviewCommand,
    secret: async () => (await import("./secret.ts")).secretGroup,
    status: async () => (await import("./status.ts")).statusCommand,
  },
  "Tools:": {
    engine: async () => (await import("./start.ts")).engineCommand,
  },
}

/** Adds the command that the arguments name, or all commands if they name none, as for the help. */
async function addCommands(cli: Command, args: string[]): Promise<void> {
  const name = args.find((arg) => arg !== "--non-interactive") ?? ""
  const commandNames = Object.values(commandsByHeading).flatMap((commands) => Object.keys(commands))
  const isNamed = commandNames.includes(name)
  for (const [heading, commands] of Object.entries(commandsByHeading)) {
    cli.commandsGroup(heading)
    for (const [key, load] of Object.entries(commands)) {
      if (isNamed && key !== name) continue
      cli.addCommand(await load())
    }
  }
}

/** Creates the parser of a command line; without arguments it has every command. */
export async function openCommands(args: string[]): Promise<Command> {
  const cli = new Command("accounts")
    .description(
      "Deploys and operates Accounts: also without Pulumi's language host, which `pulumi up` needs",
    )
    .option("--non-interactive", "never prompt, the default without a terminal")
    .addHelpText(
      "after",
      "\nEach command has --help, and --json where it has a result.\n" +
        "The exit code is 0 for success, 1 for a failure or a finding, 2 for wrong usage.",
    )
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError("(run with --help for usage)")
    .exitOverride()
    .hook("preAction", (command, running) => {
      fillFlags(running)
      if (command.opts<{ nonInteractive?: boolean }>().nonInteractive) neverAsk()
    })
  await addCommands(cli, args)
  cli.helpCommand("help [command]", "show the help of a command")
  inheritSettings(cli)
  return cli
}

/** Copies settings to subcommands: unlike `command`, `addCommand` does not. */
function inheritSettings(parent: Command): void {
  for (const child of parent.commands) inheritSettings(child.copyInheritedSettings(parent))
}
