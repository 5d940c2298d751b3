import { join } from "node:path"

import { readStackFile } from "../../infra/environment/stack-file.ts"
import { root } from "../../root.ts"
import { findEngine } from "../engine/engine.ts"
import { engineProgress } from "../engine/terminal.ts"
import { Failure, paint, print, say } from "../output.ts"
import { bringUp, type LocalCloudflare } from "../process/local-cloudflare.ts"
import { bringUpEnd, pageOf, type LocalEnd } from "../process/sandbox.ts"
import { summary } from "../stack/change-summary.ts"
import type { LocalOptions } from "../stack/local-stack.ts"
import { seconds } from "../stack/progress.ts"
import { openDeployer, type Deployer } from "./deployer.ts"
import {
  deploymentDocument,
  deploymentTable,
  urlOf,
  type Deployment,
  type Ends,
} from "./deployment.ts"
import { health } from "./health.ts"
import { showRequests } from "./request-log.ts"
import { watchSources } from "./watch.ts"

export type StartOptions = LocalOptions & { once: boolean; json: boolean }

/** Whoever moves the port of the service moves all others. */
const defaultPort = 8787

const label = "environments/Pulumi.local.yaml"

/** Brings `local` up and keeps it up until a signal ends it. */
export async function start(options: StartOptions): Promise<void> {
  const stop = new AbortController()
  const onSignal = () => stop.abort()
  process.once("SIGINT", onSignal).once("SIGTERM", onSignal)
  const { signal } = stop
  const ready = await (options.once ? bringUpOnce : keepUp)(options, signal).catch(
    (error: unknown) => {
      if (!signal.aborted) throw error
      return false
    },
  )
  if (!ready) throw new Failure("Interrupted before it was ready.", { exitCode: 130 })
}

/** Deploys from this very process: whatever kills it leaves none behind that goes on. */
async function bringUpOnce(options: StartOptions, signal: AbortSignal): Promise<boolean> {
  const { openLocalStack } = await import("../stack/local-stack.ts")
  const { deploy } = await import("./deploy.ts")
  await using local = await openLocalStack(options)
  const { cloudflare } = local
  const work = deploy(local, { signal, mend: true }).then((deployment) =>
    announce({ deployment, cloudflare, signal, json: options.json }),
  )
  await Promise.race([work, loss(cloudflare)])
  return true
}

/** True when it was ready before the signal came. */
async function keepUp(options: StartOptions, signal: AbortSignal): Promise<boolean> {
  const { state, apiPort, port, json } = options
  const stackFile = join(root, label)
  readStackFile({ path: stackFile, name: "local", label })
  const engine = await findEngine({ enginePath: options.engine, onProgress: engineProgress() })

  await using started = new AsyncDisposableStack()
  const cloudflare = await bringUp({ state, apiPort, port, onLog: showLog })
  started.defer(() => cloudflare.stop())
  const end = { state, anyPort: port !== defaultPort, onLog: showLog }
  const mail = await bringUpEnd("mail", end)
  started.defer(() => mail.stop())
  const payment = await bringUpEnd("payment", end)
  started.defer(() => payment.stop())
  const ends = { mail: await pageOf(mail), payment: await pageOf(payment) }
  const sources = started.use(await watchSources(stackFile))
  const deployer = started.use(openDeployer({ state, apiPort, port, engine: engine.command }))

  let ready = false
  const work = async () => {
    const deployment = await deployer.deploy()
    await showRequests(cloudflare, signal)
    await announce({ deployment, cloudflare, ends, signal, json })
    ready = true
    say(paint.dim("  Ctrl-C ends it. What you change in the sources is deployed as you save it."))
    for await (const paths of sources.changes()) await redeploy(deployer, paths, signal)
  }
  const lost = [cloudflare, mail, payment].map(loss)
  await Promise.race([work(), ...lost, aborted(signal)])
  return ready
}

/** Settles only to fail. */
async function loss({ ended }: LocalCloudflare | LocalEnd): Promise<never> {
  throw new Failure(await ended)
}

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  signal.addEventListener("abort", () => resolve(), { once: true })
  if (signal.aborted) resolve()
  return promise
}

/** Waits until the service answers, then says where. */
async function announce(site: {
  deployment: Deployment
  cloudflare: LocalCloudflare
  ends?: Ends
  signal: AbortSignal
  json: boolean
}): Promise<void> {
  const { deployment, cloudflare, ends, signal, json } = site
  const url = urlOf(deployment)
  await health({ url, connectTo: cloudflare.edge, signal })
  say(outcome(deployment))
  if (json) return print(deploymentDocument(deployment, cloudflare, ends))
  print(deploymentTable(deployment, cloudflare, ends))
  print(`ready ${url}`)
}

/** A failed edit is shown and forgotten: the version that serves goes on serving. */
async function redeploy(deployer: Deployer, paths: string[], signal: AbortSignal): Promise<void> {
  const [first = "", ...others] = paths
  const more = others.length > 0 ? ` and ${others.length} more` : ""
  say(`${paint.cyan("↻")} ${first}${more} changed`)
  try {
    if (paths.some(isProgram)) await deployer.renew()
    say(outcome(await deployer.deploy()))
  } catch (error) {
    if (signal.aborted) return
    if (!(error instanceof Failure)) throw error
    say(`${paint.red("✗")} ${error.message}`)
    say("  Mend it and save: the version before goes on serving.")
  }
}

/** The Pulumi program with all that it imports, and the stack file it was opened with. */
function isProgram(path: string) {
  return /^(?:infra|provider)\//.test(path) || path === "app/bindings.ts" || path === label
}

function outcome({ changes, milliseconds }: Deployment) {
  return `${paint.green("✓")} ${summary(changes)} in ${seconds(milliseconds)}`
}

/** Workers note every request as well; the edge has told of those. */
function showLog(line: string): void {
  if (!line.includes('{"level":"info"')) say(`  ${paint.dim(line)}`)
}
