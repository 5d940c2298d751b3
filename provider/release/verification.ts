import * as z from "zod"

import type { Context, Properties, Resource } from "../protocol/resource.ts"
import { awaitHealth } from "./health.ts"
import { ConnectTo, ServiceUrl, Smoke } from "./inputs.ts"
import { trySignIn } from "./sign-in-trial.ts"

const Inputs = z.strictObject({
  url: ServiceUrl,
  connectTo: ConnectTo.optional(),
  smoke: Smoke.optional(),
})
type Inputs = z.infer<typeof Inputs>

/** Seconds for a new hostname's DNS record and certificate, unless `customTimeouts` says otherwise. */
const patience = 300

/** That the service answers at its URL, found out once: when the URL is new. */
export const verification: Resource = {
  inputs: Inputs,

  diff({ olds, inputs }) {
    // connectTo and smoke say how to get there, not where: another port is nothing new to verify.
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

/** A key is no result, however well it is kept. */
function outputsOf({ url, connectTo }: Properties): Properties {
  return { url, ...(connectTo !== undefined && { connectTo }) }
}

async function verify(
  { smoke, ...place }: Inputs,
  { log, signal, timeout }: Context,
): Promise<void> {
  const seconds = timeout ?? patience
  log.info(`waiting up to ${seconds} s for ${place.url}`)
  const limits = { total: seconds * 1000, request: 10_000, pause: 500 }
  const onWait = (problem: string) => log.info(`not yet: ${problem}`)
  const versionId = await awaitHealth({ place, limits, signal, onWait })
  await trySignIn({ place, smoke, expected: versionId, log, signal })
  log.info(`${place.url} is well, version ${versionId}`)
}
