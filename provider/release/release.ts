import * as z from "zod"

import { ApiError } from "../api.ts"
import { type Context, type Properties, type Resource, unknown } from "../protocol/resource.ts"
import {
  type Deployment,
  type Deployments,
  describe,
  openDeployments,
  serving,
} from "./deployments.ts"
import { ConnectTo, ServiceUrl, Smoke } from "./inputs.ts"
import { promote } from "./promotion.ts"
import { releaseMessage } from "./provenance.ts"
import { findTraffic } from "./reachable-url.ts"

const Steps = z.array(z.number().positive().max(100)).refine((steps) => {
  const rising = steps.every((step, index) => index === 0 || step > (steps[index - 1] ?? 0))
  return rising && steps.at(-1) === 100
}, "steps are rising percentages, the last of them 100")

const Inputs = z.strictObject({
  accountId: z.string().min(1),
  scriptName: z.string().min(1),
  versionId: z.string().min(1),
  url: ServiceUrl,
  connectTo: ConnectTo.optional(),
  steps: Steps,
  smoke: Smoke.optional(),
})
type Inputs = z.infer<typeof Inputs>

const Recorded = z.object({
  accountId: z.string(),
  scriptName: z.string(),
  versionId: z.string(),
  deploymentId: z.string(),
  previousVersionId: z.string().optional(),
})
type Recorded = z.infer<typeof Recorded>

/** Seconds that a version gets to answer well, unless `customTimeouts` says otherwise. */
const patience = 60

/** Cloudflare's code; other 404s mean that the request went to the wrong place. */
const noSuchWorker = 10_007

/** Which version of a Worker serves. */
export const release: Resource = {
  inputs: Inputs,

  diff({ olds, inputs }) {
    const moved = ["accountId", "scriptName"].filter((key) => olds[key] !== inputs[key])
    if (moved.length > 0) return Object.fromEntries(moved.map((key) => [key, "replace"]))
    // url, connectTo, steps and smoke say how to release; they are no reason to.
    return olds["versionId"] === inputs["versionId"] ? {} : { versionId: "update" }
  },

  async preview({ inputs: { accountId, scriptName, versionId } }) {
    return { accountId, scriptName, versionId, deploymentId: unknown, previousVersionId: unknown }
  },

  async create({ inputs }, context) {
    const parsed = Inputs.parse(inputs)
    const outputs = await bringLive({ inputs: parsed, urls: [parsed.url], context })
    return { id: parsed.scriptName, outputs }
  },

  async update({ inputs, oldInputs, olds }, context) {
    const parsed = Inputs.parse(inputs)
    const recorded = Recorded.parse(olds)
    // A new URL is attached after the release: until then the old one leads here.
    const before = ServiceUrl.safeParse(oldInputs["url"]).data ?? parsed.url
    const urls = [...new Set([before, parsed.url])]
    return bringLive({ inputs: parsed, urls, recorded, context })
  },

  async read({ id, outputs, inputs }, { api }) {
    const recorded = Recorded.safeParse(outputs)
    if (!recorded.success) {
      throw new Error("Release is not imported: declare it, and its creation finds what is live")
    }
    const live = await liveUnlessGone(openDeployments({ api: api(), ...recorded.data }))
    if (live === undefined) return undefined
    const split = serving(live.split)
    const [only, ...more] = split
    const versionId = only !== undefined && more.length === 0 ? only.versionId : describe(split)
    return {
      id,
      outputs: { ...outputs, versionId, deploymentId: live.id },
      inputs: { ...inputs, versionId },
    }
  },
}

type Bringing = {
  inputs: Inputs
  /** Where the Worker may be reached, the likeliest first. */
  urls: string[]
  recorded?: Recorded
  context: Context
}

async function bringLive({ inputs, urls, recorded, context }: Bringing): Promise<Properties> {
  const { accountId, scriptName, versionId, connectTo, steps, smoke } = inputs
  const { log, signal, timeout } = context
  const api = context.api()
  const deployments = openDeployments({ api, accountId, scriptName })
  const message = await releaseMessage()
  const deployAlone = () => deployments.deploy([{ versionId, percentage: 100 }], message)

  const live = await deployments.live()
  if (live === undefined) return outputsOf(inputs, await deployAlone())
  const previous = previousOf({ live, versionId, recorded })
  if (previous === undefined) return outputsOf(inputs, live, recorded?.previousVersionId)

  const released = recorded?.previousVersionId !== undefined
  const worker = { api, accountId, scriptName, urls, connectTo }
  const place = await findTraffic({ ...worker, released, signal })
  if (place === undefined) {
    log.warn(`nothing leads to ${scriptName} from ${inputs.url} yet: released without a trial`)
    return outputsOf(inputs, await deployAlone())
  }
  const limits = { total: (timeout ?? patience) * 1000, request: 10_000, pause: 500 }
  const walk = { deployments, scriptName, versionId, live, previous, steps, message }
  const deployment = await promote({ ...walk, place, smoke, limits, log, signal })
  return outputsOf(inputs, deployment, previous)
}

function outputsOf(inputs: Inputs, { id }: Deployment, previousVersionId?: string): Recorded {
  const { accountId, scriptName, versionId } = inputs
  const previous = previousVersionId === undefined ? {} : { previousVersionId }
  return { accountId, scriptName, versionId, deploymentId: id, ...previous }
}

/** The version to go back to should this one fail; undefined when there is nothing left to do. */
function previousOf(situation: {
  live: Deployment
  versionId: string
  recorded: Recorded | undefined
}): string | undefined {
  const { live, versionId, recorded } = situation
  const others = serving(live.split).filter((part) => part.versionId !== versionId)
  const [other, ...more] = others
  if (more.length > 0) {
    throw new Error(
      `a gradual deployment is under way (${describe(live.split)}) and Cloudflare splits traffic ` +
        `between two versions at most: finish it or roll it back, then run again`,
    )
  }
  if (other !== undefined) return other.versionId
  // Live, but not in state: an earlier run was interrupted before it could confirm the version.
  return recorded?.versionId === versionId ? undefined : recorded?.versionId
}

async function liveUnlessGone(deployments: Deployments): Promise<Deployment | undefined> {
  try {
    return await deployments.live()
  } catch (error) {
    if (error instanceof ApiError && error.code === noSuchWorker) return undefined
    throw error
  }
}
