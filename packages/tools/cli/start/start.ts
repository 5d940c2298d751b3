import { join } from "node:path"

import * as z from "zod"

import { Failure, messageOf } from "../../base/failure.ts"
import { root } from "../../base/root.ts"
import { awaitHealth } from "../../deploy/release/health.ts"
import { untrustedOrigin } from "../../deploy/release/sign-in-trial.ts"
import { parseStackFile, readStackFile } from "../../environment/read.ts"
import { interruptSignal } from "../confirm.ts"
import { findEngine } from "../engine/engine.ts"
import { defaultPort, type LocalOptions } from "../local-options.ts"
import { paint, print, say, printable } from "../output.ts"
import { bringUp, type LocalCloudflare } from "../process/local-cloudflare.ts"
import { bringUpSandbox, sandboxesOf, sandboxPages } from "../process/sandbox.ts"
import { type LogEntry, openEvents } from "../running/log.ts"
import { seconds, summarizeChanges } from "../stack/progress.ts"
import {
  deploymentDocument,
  deploymentTable,
  firstPageOf,
  urlOf,
  type Deployment,
  type SandboxPages,
} from "./deployment-result.ts"
import { Deployer } from "./forked-deployer.ts"
import { watchSources } from "./source-watcher.ts"

const Request = z.object({
  method: z.string(),
  host: z.string(),
  path: z.string(),
  status: z.number(),
  ms: z.number(),
})

/** Prints a line for each request to a Worker, from the moment this resolves until the signal aborts. */
async function showRequests(cloudflare: LocalCloudflare, signal: AbortSignal): Promise<void> {
  const entries = await openEvents(cloudflare, { query: { kind: "request" }, signal })
  void showEach(entries).catch((error: unknown) => {
    if (!signal.aborted) say(paint.yellow(`Requests are not shown any more: ${String(error)}`))
  })
}

async function showEach(entries: AsyncIterable<LogEntry>): Promise<void> {
  for await (const entry of entries) {
    const { data } = Request.safeParse(entry)
    if (data) show(data)
  }
}

function show({ method, host, path, status, ms }: z.infer<typeof Request>): void {
  const colour = status >= 500 ? paint.red : status >= 400 ? paint.yellow : paint.green
  say(
    `  ${colour(String(status))} ${method} ${paint.dim(printable(host))}${printable(path)} ${paint.dim(`${Math.round(ms)} ms`)}`,
  )
}

type StartOptions = LocalOptions & { once: boolean; fresh: boolean; json: boolean }

const label = "environments/Pulumi.local.yaml"

/** Milliseconds within which the service must become healthy. */
const healthTimeout = 60_000

/** Deploys `local` and keeps it running until a signal. @throws Failure INTERRUPTED if a signal comes earlier */
export async function start(options: StartOptions): Promise<void> {
  using interrupt = interruptSignal("It was not ready.")
  const { signal } = interrupt
  const run = options.once ? bringUpOnce : keepUp
  const ready = await run(options, signal).catch((error: unknown) => {
    if (!signal.aborted) throw error
    return false
  })
  if (!ready) throw signal.reason
}

/** Deploys in this process, so that killing it also stops the deployment. */
async function bringUpOnce(options: StartOptions, signal: AbortSignal): Promise<boolean> {
  const { openLocalStack } = await import("../stack/local-stack.ts")
  const { deploy } = await import("./deploy.ts")
  await using local = await openLocalStack(options)
  const { cloudflare } = local
  const work = deploy(local, { signal, first: true, fresh: options.fresh }).then((deployment) =>
    announce({ deployment, cloudflare, signal, json: options.json }),
  )
  await Promise.race([work, failOnExit(cloudflare)])
  return true
}

/** Returns true if it was ready before the signal. */
async function keepUp(options: StartOptions, signal: AbortSignal): Promise<boolean> {
  const { state, apiPort, port, json } = options
  const stackFile = join(root, label)
  readStackFile({ path: stackFile, name: "local", label })
  const engine = await findEngine({ enginePath: options.engine })

  await using started = new AsyncDisposableStack()
  const cloudflare = await bringUp({ state, apiPort, port, onLog: showLog })
  started.defer(() => cloudflare.stop())
  // With another port for the service, the sandboxes avoid their usual ports as well.
  const anyPort = port !== defaultPort
  const running: { ended: Promise<string> }[] = [cloudflare]
  const { config } = parseStackFile(stackFile, label)
  for (const name of sandboxesOf(config)) {
    const sandbox = await bringUpSandbox(name, { state, anyPort, onLog: showLog })
    started.defer(() => sandbox.stop())
    running.push(sandbox)
  }
  const sandboxes = await sandboxPages(state, config)
  const firstPage = firstPageOf(config)
  const sources = started.use(await watchSources(stackFile))
  const deployer = new Deployer({ state, apiPort, port, engine: engine.command })
  started.defer(() => deployer.end())

  let ready = false
  const begin = async () => {
    const deployment = await deployer.deploy({ fresh: options.fresh })
    await showRequests(cloudflare, signal)
    await announce({ deployment, cloudflare, sandboxes, firstPage, signal, json })
    ready = true
    say(
      paint.dim("  Press Ctrl-C to stop. Changes to the sources are deployed when you save them."),
    )
  }
  const work = async () => {
    await attempt(begin, signal)
    for await (const paths of sources.changes()) {
      sayChanged(paths)
      if (paths.includes(label)) await deployer.end()
      await attempt(ready ? async () => say(outcome(await deployer.deploy())) : begin, signal)
    }
  }
  await Promise.race([work(), ...running.map(failOnExit), aborted(signal)])
  return ready
}

async function failOnExit({ ended }: { ended: Promise<string> }): Promise<never> {
  throw new Failure("COMMAND_FAILED", await ended)
}

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  signal.addEventListener("abort", () => resolve(), { once: true })
  if (signal.aborted) resolve()
  return promise
}

/** Waits until the service is healthy, then prints its addresses. */
async function announce(site: {
  deployment: Deployment
  cloudflare: LocalCloudflare
  sandboxes?: SandboxPages
  /** Path of a page where a person can begin, if the service has pages. */
  firstPage?: string | undefined
  signal: AbortSignal
  json: boolean
}): Promise<void> {
  const { deployment, cloudflare, firstPage, signal, json } = site
  const url = urlOf(deployment)
  const first = firstPage === undefined ? {} : { signUp: `${url}${firstPage}` }
  const pages = { ...site.sandboxes, ...first }
  const address = { url, connectTo: cloudflare.edge }
  await awaitHealth({ address, deadline: Date.now() + healthTimeout, signal }).catch(unhealthy)
  say(outcome(deployment))
  if (json) return print(deploymentDocument(deployment, cloudflare, pages))
  print(deploymentTable(deployment, cloudflare, pages))
  print(`ready ${url}`)
}

function unhealthy(error: unknown): never {
  throw new Failure("COMMAND_FAILED", `${messageOf(error)}. See ./accounts local log.`)
}

function sayChanged([first = "", ...otherFiles]: string[]): void {
  const suffix = otherFiles.length > 0 ? ` and ${otherFiles.length} more` : ""
  say(`${paint.cyan("↻")} ${first}${suffix} changed`)
}

/** Runs `act`. Prints a Failure, which an edit of the sources may fix, and continues. */
async function attempt(act: () => Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    await act()
  } catch (error) {
    if (signal.aborted) return
    if (!(error instanceof Failure)) throw error
    say(`${paint.red("✗")} ${error.message}`)
    say("  Fix it and save.")
  }
}

function outcome({ changes, milliseconds }: Deployment) {
  return `${paint.green("✓")} ${summarizeChanges(changes)} in ${seconds(milliseconds)}`
}

/** Skips requests, which `showRequests` prints, and the entry of the origin that a release's trial expects refused. */
function showLog(line: string): void {
  const isOfTrial = line.includes(`"refusedOrigin":"${untrustedOrigin}"`)
  if (!isOfTrial && !line.includes('{"level":"info"')) say(`  ${paint.dim(line)}`)
}
