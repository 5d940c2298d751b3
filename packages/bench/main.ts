import { Command, InvalidArgumentError, Option } from "commander"

import { operations } from "./app/calls.ts"

const program = new Command("npm run bench --").description(
  "Benchmarks: ratios to what runs beside the service.",
)

function count(text: string) {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text)
  throw new InvalidArgumentError("Use a whole number from 1 to 999.")
}

function command(name: string, description: string, page = "benchmarks.md") {
  return program
    .command(name, { isDefault: name === "app" })
    .description(description)
    .option("--write", `write the table to docs/${page}`)
}
function rounds(standard: number) {
  return new Option("--rounds <number>", "how many times each is measured")
    .argParser(count)
    .default(standard)
}

command("app", "compare requests to the service with bare handlers and a peer (default)")
  .addOption(rounds(15))
  .addOption(
    new Option("--only <request...>", "measure only these requests")
      .choices(operations)
      .conflicts("write"),
  )
  .action(async (options) => (await import("./app/app.ts")).benchApp(options))

command("pages", "weigh the pages, and compare them with the API's own answers", "pages.md")
  .addOption(rounds(15))
  .action(async (options) => (await import("./app/pages.ts")).benchPages(options))

command("growth", "compare requests with a hundred members, 10,000 and a million")
  .addOption(rounds(7))
  .action(async (options) => (await import("./app/growth.ts")).benchGrowth(options))

command("migrations", "compare migrations under the guard with plain ones, and lint many files")
  .addOption(rounds(5))
  .action(async (options) => (await import("./migrations/migrations.ts")).benchMigrations(options))

command("bundle", "list the parts of the Worker's module by size", "bundle.md").action(
  async (options) => (await import("./bundle-size.ts")).benchBundle(options),
)

await program.parseAsync()
