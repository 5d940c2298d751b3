import * as z from "zod"

import type { Context, Properties, Resource } from "../protocol/resource.ts"
import { awaitHealth } from "./health.ts"
import { ServiceAddress, SmokeTest } from "./shared-inputs.ts"
import { trySignIn } from "./sign-in-trial.ts"

const Inputs = z.strictObject({ ...ServiceAddress.shape, smoke: SmokeTest.optional() })
type Inputs = z.infer<typeof Inputs>

/** Seconds for a new hostname's DNS record and certificate, unless `customTimeouts` says otherwise. */
const defaultTimeout = 300

/** Checks that the service is healthy at its URL, once for every new URL. */
export const verification: Resource = {
  inputs: Inputs,

  diff({ olds, inputs }) {
    // connectTo and smoke only say how to verify a URL.
    return olds["url"] === inputs["url"] ? {} : { url: "update" }
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

  async read(state) {
    return state
  },
}

/** Leaves out `smoke`, so that its key is in no output. */
function outputsOf({ url, connectTo }: Properties): Properties {
  return { url, ...(connectTo !== undefined && { connectTo }) }
}

async function verify(
  { smoke, ...address }: Inputs,
  { log, signal, timeout }: Context,
): Promise<void> {
  const seconds = timeout ?? defaultTimeout
  log.info(`waiting up to ${seconds} s for ${address.url}`)
  const limits = { total: seconds * 1000, request: 10_000, pause: 500 }
  const onWait = (problem: string) => log.info(`not yet: ${problem}`)
  const versionId = await awaitHealth({ address, limits, signal, onWait })
  await trySignIn({ address, smoke, expected: versionId, log, signal })
  log.info(`${address.url} is healthy: version ${versionId}`)
}
