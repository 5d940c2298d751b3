import { resolve } from "node:path"

import { Command, InvalidArgumentError, Option } from "commander"

import { isFailure } from "../failure.ts"
import { EngineFailure } from "./engine/failure.ts"
import { Failure, paint, say, engineOutput } from "./output.ts"
import { defaultState } from "./process/local-cloudflare.ts"
import type { LocalOptions } from "./stack/local-stack.ts"

const defaultApiPort = 8790
const defaultPort = 8787

const cli = new Command("accounts")
  .description(
    "What Pulumi has no word for. Everything else is `pulumi` itself: pulumi up -s staging",
  )
  .showHelpAfterError("(--help tells what there is)")
  .exitOverride()

type Flags = { state: string; apiPort: number; port: number; engine?: string; json?: boolean }

type LogFlags = {
  follow?: boolean
  limit: number
} & Partial<Record<"kind" | "status" | "method" | "host" | "path" | "script" | "since", string>>

/** The options of every command that works on this machine. */
function onThisMachine(command: Command): Command {
  return command
    .addOption(
      new Option("--state <dir>", "directory of all local state").default(defaultState, ".local"),
    )
    .addOption(
      new Option("--port <number>", "port of the service").default(defaultPort).argParser(port),
    )
    .addOption(
      new Option("--api-port <number>", "port of the local Cloudflare's API")
        .default(defaultApiPort)
        .argParser(port),
    )
    .option("--engine <path>", "Pulumi engine to use instead of the one that would be found")
    .option("--json", "print one JSON document on stdout")
}

function localOptions({
  state,
  apiPort,
  port: edgePort,
  engine,
  json = false,
}: Flags): LocalOptions & { json: boolean } {
  return { state: resolve(state), apiPort, port: edgePort, engine, json }
}

onThisMachine(cli.command("start"))
  .description("bring `local` up and keep it up; redeploy what changes")
  .option("--once", "stop again once it is up")
  .action(async (flags: Flags & { once?: boolean }) => {
    const { start } = await import("./start/start.ts")
    await start({ ...localOptions(flags), once: flags.once ?? false })
  })

cli
  .command("engine")
  .description("print the directory of the Pulumi engine, getting it first where there is none")
  .option("--engine <path>", "engine to check instead")
  .option("--json", "print one JSON document on stdout")
  .action(async ({ engine: path, json = false }: { engine?: string; json?: boolean }) => {
    const { engine } = await import("./command/engine.ts")
    await engine({ engine: path, json })
  })

const local = cli.command("local").description("the environment on this machine")
onThisMachine(local.command("env"))
  .description('print what the ordinary CLIs need: eval "$(./accounts local env)"')
  .action(async (flags: Flags) => (await import("./command/local.ts")).env(localOptions(flags)))
onThisMachine(local.command("status"))
  .description("show what runs")
  .action(async (flags: Flags) => (await import("./command/local.ts")).status(localOptions(flags)))
onThisMachine(local.command("log"))
  .description("print what happened: requests to Workers, calls of the API, deployments, faults")
  .option("-f, --follow", "go on with what happens, until Ctrl-C; with --json one document a line")
  .option("-n, --limit <number>", "how many past entries at most", count, 100)
  .option("--kind <kinds>", "request, api, deployment, cron, fault, problem, …")
  .option("--status <codes>", "404, or a class such as 4xx")
  .option("--method <methods>", "GET, POST, …")
  .option("--host <text>", "part of the host")
  .option("--path <text>", "part of the path")
  .option("--script <name>", "the Worker that answered")
  .option("--since <time>", "ISO 8601, such as 2026-08-01T12:00:00Z")
  .addHelpText(
    "after",
    "\nWhat takes several takes them with commas; an entry matches all of them.",
  )
  .action(async (flags: Flags & LogFlags) => {
    const { state, json } = localOptions(flags)
    const { follow = false, limit, kind, status, method, host, path, script, since } = flags
    const filter = given({ kind, status, method, host, path, script, since })
    await (await import("./command/log.ts")).log({ state, json, follow, limit, filter })
  })
onThisMachine(local.command("console"))
  .description("print a link that signs one browser in to the console page, which only reads")
  .option("--open", "open it, too")
  .action(async (flags: Flags & { open?: boolean }) => {
    const { openConsole } = await import("./command/console.ts")
    await openConsole({ ...localOptions(flags), open: flags.open ?? false })
  })
onThisMachine(local.command("mail"))
  .description("print the letters that the local service has sent")
  .option("--follow", "go on with those to come")
  .action(async (flags: Flags & { follow?: boolean }) =>
    (await import("./command/mail.ts")).mail({
      ...localOptions(flags),
      follow: flags.follow ?? false,
    }),
  )
onThisMachine(local.command("destroy"))
  .description("delete the local Worker and its database")
  .option("--yes", "do not ask")
  .action(async (flags: Flags & { yes?: boolean }) =>
    (await import("./command/local.ts")).destroyLocal({
      ...localOptions(flags),
      yes: flags.yes ?? false,
    }),
  )
onThisMachine(local.command("reset"))
  .description("remove the state directory")
  .option("--yes", "do not ask")
  .action(async (flags: Flags & { yes?: boolean }) =>
    (await import("./command/local.ts")).reset({ ...localOptions(flags), yes: flags.yes ?? false }),
  )
onThisMachine(local.command("wrangler-config"))
  .description(
    "write a throw-away wrangler config for the deployed Worker outside the repository; print its path",
  )
  .action(async (flags: Flags) =>
    (await import("./command/wrangler-config.ts")).wranglerConfig(localOptions(flags)),
  )

const fault = local.command("fault").description("make the local Cloudflare fail on demand")
onThisMachine(fault.command("list"))
  .description("list the rules, with how often each has fired")
  .action(async (flags: Flags) =>
    (await import("./command/fault.ts")).listFaults(localOptions(flags)),
  )
onThisMachine(fault.command("add <rule>"))
  .description("add a rule, in JSON: docs/local-cloudflare.md tells which there are")
  .action(async (rule: string, flags: Flags) =>
    (await import("./command/fault.ts")).addFault(rule, localOptions(flags)),
  )
onThisMachine(fault.command("preset <name>"))
  .description("mix faults at a low probability: bad-day, slow or bad-database")
  .option("--seed <number>", "the same seed spoils the same requests", seed, 1)
  .action(async (name: string, { seed: from, ...flags }: Flags & { seed: number }) => {
    const { presetFaults } = await import("./command/fault.ts")
    await presetFaults({ preset: name, seed: from }, localOptions(flags))
  })
onThisMachine(fault.command("clear [name]"))
  .description("end one rule, or all of them")
  .action(async (name: string | undefined, flags: Flags) =>
    (await import("./command/fault.ts")).clearFaults(name, localOptions(flags)),
  )

const preview = cli.command("preview").description("one environment per branch")
for (const [verb, description] of [
  ["up", "bring the preview of a branch up"],
  ["down", "take it down, with its database"],
] as const) {
  onThisMachine(preview.command(`${verb} [branch]`))
    .description(description)
    .option("--local", "on this machine's Cloudflare")
    .option("--template <file>", "stack file with {branch} in its values")
    .action(
      async (branch: string | undefined, flags: Flags & { local?: boolean; template?: string }) => {
        const { previewUp, previewDown } = await import("./command/preview.ts")
        const options = {
          ...localOptions(flags),
          local: flags.local ?? false,
          template: flags.template,
        }
        await (verb === "up" ? previewUp : previewDown)(branch, options)
      },
    )
}
onThisMachine(preview.command("list"))
  .description("list the previews")
  .option("--local", "on this machine's Cloudflare")
  .action(async (flags: Flags & { local?: boolean }) => {
    const { previewList } = await import("./command/preview.ts")
    await previewList({ ...localOptions(flags), local: flags.local ?? false, template: undefined })
  })

onThisMachine(cli.command("repair"))
  .description("mend a stack that an interrupted run left behind")
  .requiredOption("-s, --stack <name>", "the stack")
  .option("--local", "a preview on this machine's Cloudflare (the stack `local` always is)")
  .action(async (flags: Flags & { stack: string; local?: boolean }) => {
    const { repair } = await import("./stack/repair.ts")
    await repair(flags.stack, { ...localOptions(flags), local: flags.local ?? false })
  })

onThisMachine(
  cli.command("owner").description("who may make others owner or admin").command("grant <email>"),
)
  .description("make a user the first owner of an environment")
  .requiredOption("-s, --stack <name>", "the stack")
  .option("--local", "a preview on this machine's Cloudflare (the stack `local` always is)")
  .option("--unverified", "whatever became of the verification mail; never where it is permanent")
  .action(
    async (
      address: string,
      flags: Flags & { stack: string; local?: boolean; unverified?: boolean },
    ) => {
      const { grantOwner } = await import("./command/owner.ts")
      const { stack, local: here = false, unverified = false } = flags
      await grantOwner(address, { ...localOptions(flags), stack, local: here, unverified })
    },
  )

try {
  await cli.parseAsync()
} catch (error) {
  process.exitCode = report(error)
}
// Sockets kept alive by clients must not keep a finished command.
process.exit()

/** Prints one clear message; only what nobody foresaw brings its stack trace. */
function report(error: unknown): number {
  if (error instanceof Failure) return tell(error.message, error.exitCode)
  if (error instanceof EngineFailure) return tell(error.message, error.exitCode)
  if (isFailure(error, "ENVIRONMENT_INVALID")) return tell(error.message, 1)
  // The engine refused, for example because nobody is logged in to a backend: its own words say it.
  if (error instanceof Error && "commandResult" in error) {
    return tell(engineOutput(error.message), 1)
  }
  if (error instanceof Error && "code" in error && String(error.code).startsWith("commander.")) {
    return "exitCode" in error && error.exitCode === 0 ? 0 : 2
  }
  return tell(error instanceof Error ? (error.stack ?? error.message) : String(error), 1)
}

function tell(message: string, exitCode: number): number {
  say(`${paint.red("error:")} ${message}`)
  return exitCode
}

function port(text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= 0 && value < 65_536) return value
  throw new InvalidArgumentError("A port is a number from 0 (any free one) to 65535.")
}

function seed(text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value)) return value
  throw new InvalidArgumentError("A seed is a whole number.")
}

function count(text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= 0 && value <= 10_000) return value
  throw new InvalidArgumentError("It is a number from 0 to 10000.")
}

function given(values: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
