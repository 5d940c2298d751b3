import type { Command } from "commander"

/** Adds the options that name a project and one of its databases. */
export function projectOptions(command: Command): Command {
  return command
    .option("--config <file>", "wrangler's settings; wrangler.json, .jsonc or .toml by default")
    .option("--env <name>", "environment of the settings")
    .option("--database <name>", "binding or name of the database in the settings")
    .option("--dir <folder>", "where the migrations lie, if not where the settings say")
}
