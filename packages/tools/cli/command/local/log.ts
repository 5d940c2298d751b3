import { localCommand, localOptions, wholeNumber, type LocalFlags } from "../../command-options.ts"

type Flags = LocalFlags & { follow?: boolean; limit: number; kind?: string; status?: string }

const limit = wholeNumber({ from: 0, to: 10_000, message: "It must be a number from 0 to 10000." })

export const logCommand = localCommand("log")
  .description(
    "print past events: requests to Workers and what these print, API calls, deployments, faults",
  )
  .option("-f, --follow", "keep printing new events until Ctrl-C; with --json, one document a line")
  .option("-n, --limit <number>", "print at most this many past events", limit, 100)
  .option("--kind <kinds>", "request, api, deployment, cron, worker, fault, problem, …")
  .option("--status <codes>", "404, or a class such as 4xx")
  .addHelpText("after", "\nSeparate several values with commas; an entry must match both options.")
  .action(async ({ follow = false, limit: most, kind, status, ...flags }: Flags) => {
    const { log } = await import("../../running/log.ts")
    const filter = { ...(kind && { kind }), ...(status && { status }) }
    await log({ ...localOptions(flags), follow, limit: most, filter })
  })
