import * as z from "zod"

import { type Context, type Properties, type Resource, readDeclaredOnly } from "../resource.ts"
import { openDeployments, withTraffic } from "./deployments.ts"
import { awaitHealth } from "./health.ts"
import { SmokeTest, addressInputs } from "./service-request.ts"
import { trySignIn } from "./sign-in-trial.ts"

const Inputs = z.strictObject({
  ...addressInputs,
  /** If the script's name is set, only a live version of that Worker may answer. */
  accountId: z.string().min(1).optional(),
  scriptName: z.string().min(1).optional(),
  /** Cloudflare's id of the Worker, which changes if the Worker is created again. */
  worker: z.string().min(1).optional(),
  smoke: SmokeTest.optional(),
  /** Facts of the deployment, kept in state for later plans. */
  facts: z.record(z.string(), z.string()).optional(),
})
export type Inputs = z.infer<typeof Inputs>

/** Seconds for a new hostname's DNS record and certificate, unless `customTimeouts` says otherwise. */
const defaultTimeout = 900

/** Checks that the service is healthy and a smoke-test account can sign in, for every new URL and Worker. */
export const verification: Resource = {
  inputs: Inputs,

  diff({ olds, oldInputs, inputs }) {
    // All other inputs only say how to verify a URL.
    if (olds["url"] !== inputs["url"]) return { url: "update" }
    // State from a time before this input lacks it.
    const workerBefore = oldInputs["worker"]
    // The first release of a Worker tries nothing: no host leads to it yet.
    return workerBefore === undefined || workerBefore === inputs["worker"]
      ? {}
      : { worker: "update" }
  },

  async preview({ inputs }) {
    return outputsOf(inputs)
  },

  async create({ inputs }, context) {
    const parsed = Inputs.parse(inputs)
    await verify(parsed, context)
    return { id: parsed.url, outputs: outputsOf(parsed) }
  },

  async update({ inputs }, context) {
    const parsed = Inputs.parse(inputs)
    await verify(parsed, context)
    return outputsOf(parsed)
  },

  read: async (state) => readDeclaredOnly(state),
}

/** Leaves out `smoke` and `trialHeaders`, so that no secret is in an output. */
function outputsOf({ url, connectTo }: Properties): Properties {
  return { url, ...(connectTo !== undefined && { connectTo }) }
}

async function verify(inputs: Inputs, context: Context): Promise<void> {
  const { url, connectTo, trialHeaders, smoke } = inputs
  const { log, signal, timeout } = context
  // Logs the host instead of the URL, which may not be a page.
  const { host } = new URL(url)
  const seconds = timeout ?? defaultTimeout
  log.info(`waiting up to ${seconds} s for ${host}`)
  const address = { url, connectTo, headers: trialHeaders }
  const deadline = Date.now() + seconds * 1000
  const onWait = (problem: string) => log.info(`not yet: ${problem}`)
  const worker = await workerOf(inputs, context)
  const expected = await awaitHealth({ address, ...worker, deadline, signal, onWait })
  await trySignIn({ address, smoke, expected, deadline, log, signal })
  log.info(`${host} is healthy: version ${expected}`)
}

/** Returns the versions that may answer; any version if the script's name is not set. */
async function workerOf({ accountId, scriptName }: Inputs, { api }: Context) {
  if (accountId === undefined || scriptName === undefined) return {}
  const deployments = openDeployments({ api: api(), accountId, scriptName })
  const versions = async () =>
    withTraffic((await deployments.live())?.split ?? []).map(({ versionId }) => versionId)
  const expected = await versions()
  return {
    expected,
    owns: (id: string) => deployments.owns(id),
    // Reads the versions again: a host may take a quarter of an hour, and the deployment may change.
    async watch() {
      expected.splice(0, expected.length, ...(await versions().catch(() => expected)))
    },
  }
}
