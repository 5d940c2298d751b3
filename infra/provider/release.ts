import * as z from "zod"

import { ApiError } from "./api.ts"
import {
  type Deployment,
  type Deployments,
  type Split,
  describe,
  openDeployments,
  serving,
} from "./deployments.ts"
import { ConnectTo, ServiceUrl } from "./place.ts"
import { promote } from "./promotion.ts"
import { releaseMessage } from "./provenance.ts"
import { type Context, type Properties, type Resource, unknown } from "./resource.ts"
import { isAttached, isReached } from "./traffic.ts"

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

/** Which version of a Worker serves. */
export const release: Resource = {
  inputs: Inputs,

  diff({ olds, inputs }) {
    const moved = ["accountId", "scriptName"].filter((key) => olds[key] !== inputs[key])
    if (moved.length > 0) return Object.fromEntries(moved.map((key) => [key, "replace"]))
    // url, connectTo and steps say how to release; they are no reason to.
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
    const versionId = onlyVersion(split) ?? describe(split)
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
  const { accountId, scriptName, versionId, connectTo, steps } = inputs
  const { log, signal } = context
  const api = context.api()
  const deployments = openDeployments({ api, accountId, scriptName })
  const live = await deployments.live()
  const message = await releaseMessage()
  const outputsOf = (deployment: Deployment, previousVersionId?: string) => ({
    accountId,
    scriptName,
    versionId,
    deploymentId: deployment.id,
    ...(previousVersionId !== undefined && { previousVersionId }),
  })

  const previous = live && previousOf({ live, versionId, recorded })
  if (live === undefined || previous === undefined) {
    return outputsOf(live ?? (await deployments.deploy([{ versionId, percentage: 100 }], message)))
  }

  const reached = await firstReached({ urls, connectTo, signal })
  const released = recorded?.previousVersionId !== undefined
  const url = reached ?? inputs.url
  if (
    reached === undefined &&
    !released &&
    !(await isAttached({ api, accountId, scriptName, url }))
  ) {
    log.warn(`nothing answers at ${url} yet, so there is no traffic to protect: not tried out`)
    return outputsOf(await deployments.deploy([{ versionId, percentage: 100 }], message))
  }
  const seconds = context.timeout ?? patience
  const limits = { total: seconds * 1000, request: 10_000, pause: 500 }
  const place = { url, connectTo }
  const promotion = { deployments, scriptName, versionId, live, previous, steps, place, limits }
  const deployment = await promote({ ...promotion, message, log, signal })
  return outputsOf(deployment, onlyVersion(previous))
}

/** What to go back to if the version fails; undefined when it is live and nothing was before it. */
function previousOf(situation: {
  live: Deployment
  versionId: string
  recorded: Recorded | undefined
}): Split | undefined {
  const { live, versionId, recorded } = situation
  const others = serving(live.split).filter((part) => part.versionId !== versionId)
  const [other, ...more] = others
  if (more.length > 0) {
    throw new Error(
      `a gradual deployment is under way (${describe(live.split)}) and Cloudflare splits traffic ` +
        `between two versions at most: finish it or roll it back, then run again`,
    )
  }
  if (other !== undefined) return [{ versionId: other.versionId, percentage: 100 }]
  if (recorded === undefined || recorded.versionId === versionId) return undefined
  return [{ versionId: recorded.versionId, percentage: 100 }]
}

async function firstReached(options: {
  urls: string[]
  connectTo: string | undefined
  signal: AbortSignal
}): Promise<string | undefined> {
  const { urls, connectTo, signal } = options
  for (const url of urls) {
    if (await isReached({ url, connectTo }, signal)) return url
  }
  return undefined
}

function onlyVersion(split: Split): string | undefined {
  const [only, ...more] = split
  return more.length === 0 ? only?.versionId : undefined
}

async function liveUnlessGone(deployments: Deployments): Promise<Deployment | undefined> {
  try {
    return await deployments.live()
  } catch (error) {
    // 10007: there is no such Worker.
    if (error instanceof ApiError && (error.code === 10007 || error.status === 404))
      return undefined
    throw error
  }
}
