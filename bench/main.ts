import { Command, InvalidArgumentError, Option } from "commander"

import { operations } from "./app/operation-name.ts"

const program = new Command("npm run bench --").description("Benchmarks, each beside its peers.")

function count(text: string) {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text)
  throw new InvalidArgumentError("It must be a whole number from 1 to 999.")
}

program
  .command("app", { isDefault: true })
  .description(
    "requests to the service beside bare handlers and its peers, in one workerd (default)",
  )
  .option("--rounds <number>", "how often each is measured", count, 15)
  .option("--json", "print one document with every round instead of the table")
  .addOption(
    new Option("--only <request...>", "measure these alone").choices(operations).conflicts("write"),
  )
  .option("--write", "write the table to docs/benchmarks.md")
  .action(async (options) => {
    const { benchApp } = await import("./app/bench.ts")
    await benchApp(options)
  })

program
  .command("deployments")
  .description("deployments beside wrangler, on one local Cloudflare")
  .option("--rounds <number>", "how often each is measured", count, 5)
  .action(async ({ rounds }) => {
    const { benchDeployments } = await import("./deploy.ts")
    await benchDeployments(rounds)
  })

program
  .command("cloudflare")
  .description("memory, releases and requests of a local Cloudflare, beside workerd alone")
  .option("--rounds <number>", "how often each is measured", count, 7)
  .option("--json", "print one document with every round instead of the tables")
  .option("--write", "write the tables to docs/benchmarks.md")
  .action(async (options) => {
    const { benchCloudflare } = await import("./cloudflare/bench.ts")
    await benchCloudflare(options)
  })

program
  .command("steady")
  .description("memory of a local Cloudflare while queries go on, beside workerd alone")
  .option("--looks <number>", "how often, each after 10,000 requests more", count, 15)
  .option("--json", "print one document instead of the table")
  .option("--write", "write the table to docs/benchmarks.md")
  .action(async (options) => {
    const { benchSteady } = await import("./cloudflare/bench.ts")
    await benchSteady(options)
  })

program
  .command("bundle")
  .description("what the Worker's one module is made of")
  .option("--write", "write the table to docs/bundle.md")
  .action(async (options) => {
    const { benchBundle } = await import("./bundle.ts")
    await benchBundle(options)
  })

await program.parseAsync()
