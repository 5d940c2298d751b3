import { Command, InvalidArgumentError, Option } from "commander"

import { operations } from "./app/operation.ts"

const program = new Command("npm run bench --").description(
  "Benchmarks, each compared with its peers.",
)

function count(text: string) {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text)
  throw new InvalidArgumentError("Use a whole number from 1 to 999.")
}

program
  .command("app", { isDefault: true })
  .description(
    "compare requests to the service with bare handlers and peers, in one workerd (default)",
  )
  .option("--rounds <number>", "how many times each is measured", count, 15)
  .option("--json", "print one JSON document with every round instead of the table")
  .addOption(
    new Option("--only <request...>", "measure only these requests")
      .choices(operations)
      .conflicts("write"),
  )
  .option("--write", "write the table to docs/benchmarks.md")
  .action(async (options) => {
    const { benchApp } = await import("./app/bench-app.ts")
    await benchApp(options)
  })

program
  .command("deployments")
  .description("compare deployments with wrangler's, on one local Cloudflare")
  .option("--rounds <number>", "how many times each is measured", count, 5)
  .action(async ({ rounds }) => {
    const { benchDeployments } = await import("./deployments.ts")
    await benchDeployments(rounds)
  })

program
  .command("cloudflare")
  .description("compare memory, releases and requests of a local Cloudflare with workerd alone")
  .option("--rounds <number>", "how many times each is measured", count, 7)
  .option("--json", "print one JSON document with every round instead of the tables")
  .option("--write", "write the tables to docs/benchmarks.md")
  .action(async (options) => {
    const { benchCloudflare } = await import("./cloudflare/bench-cloudflare.ts")
    await benchCloudflare(options)
  })

program
  .command("steady")
  .description("compare a local Cloudflare's memory under continuous queries with workerd alone")
  .option("--samples <number>", "how many samples, one every 10,000 requests", count, 15)
  .option("--json", "print one JSON document instead of the table")
  .option("--write", "write the table to docs/benchmarks.md")
  .action(async (options) => {
    const { benchSteady } = await import("./cloudflare/bench-cloudflare.ts")
    await benchSteady(options)
  })

program
  .command("distance")
  .description("play requests through round trips to a database that is near or far")
  .option("--write", "write the table to docs/benchmarks.md")
  .action(async (options) => {
    const { benchDistance } = await import("./distance/bench-distance.ts")
    benchDistance(options)
  })

program
  .command("migrations")
  .description("compare migrations under the row guard with the same files without it")
  .option("--rounds <number>", "how many times each is measured", count, 5)
  .option("--rows <number...>", "rows of the table, each measured", ["10", "10000", "1000000"])
  .option("--json", "print one JSON document with every round instead of the table")
  .option("--write", "write the table to docs/benchmarks.md")
  .action(async (options) => {
    const { benchMigrations } = await import("./migrations/bench-migrations.ts")
    await benchMigrations({ ...options, rows: options.rows.map(Number) })
  })

program
  .command("bundle")
  .description("list the parts of the Worker's module by size")
  .option("--write", "write the table to docs/bundle.md")
  .action(async (options) => {
    const { benchBundle } = await import("./bundle-size.ts")
    await benchBundle(options)
  })

await program.parseAsync()
