import { localCommand, localOptions, wholeNumber, type LocalFlags } from "../../command-options.ts"

const filterNames = ["kind", "status", "method", "host", "path", "script", "since"] as const

type Flags = LocalFlags & { follow?: boolean; limit: number } & Partial<
    Record<(typeof filterNames)[number], string>
  >

const limit = wholeNumber({ from: 0, to: 10_000, message: "It must be a number from 0 to 10000." })

export const logCommand = localCommand("log")
  .description(
    "print past events: requests to Workers and what these print, API calls, deployments, faults",
  )
  .option("-f, --follow", "keep printing new events until Ctrl-C; with --json, one document a line")
  .option("-n, --limit <number>", "print at most this many past events", limit, 100)
  .option("--kind <kinds>", "request, api, deployment, cron, worker, fault, problem, …")
  .option("--status <codes>", "404, or a class such as 4xx")
  .option("--method <methods>", "GET, POST, …")
  .option("--host <text>", "text in the host")
  .option("--path <text>", "text in the path")
  .option("--script <name>", "name of the Worker")
  .option("--since <time>", "ISO 8601, such as 2026-08-01T12:00:00Z")
  .addHelpText("after", "\nSeparate several values with commas; an entry must match every option.")
  .action(async (flags: Flags) => {
    const { log } = await import("../../running/log.ts")
    const { follow = false, limit: most } = flags
    const filter = Object.fromEntries(
      filterNames.flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name]]])),
    )
    await log({ ...localOptions(flags), follow, limit: most, filter })
  })
