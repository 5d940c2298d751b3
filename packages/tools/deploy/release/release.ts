import { unknownValue } from "@accounts-stack/pulumi-host/properties"
import * as z from "zod"

import { isFailure, messageOf } from "../../base/failure.ts"
import type { Context, Properties, Resource } from "../resource.ts"
import { findAttachment } from "./attachments.ts"
import { DeploymentRun } from "./deployment-run.ts"
import {
  type Deployment,
  type Deployments,
  allTraffic,
  describeDeployment,
  nameOf,
  openDeployments,
  withTraffic,
} from "./deployments.ts"
import { promote } from "./promotion.ts"
import { releaseMessage } from "./provenance.ts"
import type { Zone } from "./routes.ts"
import { describeDrift, misfitOf, openSchemaCheck, refuseMisfit } from "./schema-fit.ts"
import { ServiceUrl, SmokeTest, addressInputs } from "./service-request.ts"
import { TrafficLimits, openTraffic } from "./traffic.ts"

const Steps = z.array(z.number().positive().max(100)).refine((steps) => {
  const rising = steps.every((step, index) => index === 0 || step > (steps[index - 1] ?? 0))
  return rising && steps.at(-1) === 100
}, "steps are rising percentages, the last of them 100")

const Inputs = z.strictObject({
  accountId: z.string().min(1),
  scriptName: z.string().min(1),
  versionId: z.string().min(1),
  ...addressInputs,
  /** The stack's zone, for tokens that cannot look zones up by name. */
  zoneId: z.string().optional(),
  steps: Steps,
  /** Seconds for which the version must stay healthy at each step but the last. */
  bake: z.number().min(0).optional(),
  /** Limits for its traffic at each step but the last. */
  limits: TrafficLimits.optional(),
  smoke: SmokeTest.optional(),
})
export type Inputs = z.infer<typeof Inputs>

const FormerZone = z.object({ zone: z.string().optional(), zoneId: z.string().optional() })

const Recorded = z.object({
  accountId: z.string(),
  scriptName: z.string(),
  versionId: z.string(),
  deploymentId: z.string(),
  /** Set if another client or a killed run made the version live, so that its health is unconfirmed. */
  unconfirmed: z.literal(true).optional(),
})
type Recorded = z.infer<typeof Recorded>

/** Seconds for a version to become healthy, unless `customTimeouts` says otherwise. */
const defaultTimeout = 60

/** The version of a Worker that has all of the traffic. */
export const release: Resource = {
  inputs: Inputs,
  refreshBeforeUpdate: true,

  diff({ olds, inputs }) {
    const replaced = ["accountId", "scriptName"].filter((key) => olds[key] !== inputs[key])
    if (replaced.length > 0) return Object.fromEntries(replaced.map((key) => [key, "replace"]))
    // All other inputs only control how to release, so changing them releases nothing.
    const released = olds["versionId"] === inputs["versionId"] && olds["unconfirmed"] !== true
    return released ? {} : { versionId: "update" }
  },

  async preview({ inputs: { accountId, scriptName, versionId }, olds }, { log }) {
    if (olds?.["unconfirmed"] === true && olds["versionId"] === versionId) {
      log.warn(
        `version ${String(versionId)} serves, but no release has confirmed it: it is tried now`,
      )
    }
    return {
      accountId,
      scriptName,
      versionId,
      deploymentId: unknownValue,
    }
  },

  async create({ inputs }, context) {
    const parsed = Inputs.parse(inputs)
    const outputs = await releaseVersion({
      inputs: parsed,
      urls: [parsed.url],
      zones: [parsed],
      context,
    })
    return { id: parsed.scriptName, outputs }
  },

  async update({ inputs, oldInputs, olds }, context) {
    const parsed = Inputs.parse(inputs)
    const recorded = Recorded.parse(olds)
    // A new hostname is attached after the release; until then the old one leads to the Worker.
    const oldUrl = ServiceUrl.safeParse(oldInputs["url"]).data ?? parsed.url
    // Both may be attached, and a local Cloudflare may have restarted at another port.
    const urls = [...new Set([parsed.url, oldUrl])]
    const zones = [parsed, FormerZone.safeParse(oldInputs).data ?? {}]
    return releaseVersion({ inputs: parsed, urls, zones, recorded, context })
  },

  async read({ id, outputs, inputs }, { api, log }) {
    const recorded = Recorded.safeParse(outputs)
    if (!recorded.success) {
      throw new Error(
        "Release cannot be imported: declare it, and its creation finds the live version",
      )
    }
    const live = await openDeployments({ api: api(), ...recorded.data }).live()
    if (live === undefined) return undefined
    const foreign = live.id !== recorded.data.deploymentId
    if (foreign) {
      log.warn(await describeDrift(live, openSchemaCheck({ api: api(), ...recorded.data })))
    }
    const versionId = nameOf(live.split)
    const liveRelease = { versionId, deploymentId: live.id, ...(foreign && { unconfirmed: true }) }
    return { id, outputs: { ...outputs, ...liveRelease }, inputs: { ...inputs, versionId } }
  },
}

type ReleaseRun = {
  inputs: Inputs
  /** URLs that may lead to the Worker, the likeliest first. */
  urls: string[]
  /** Zones of the URLs. */
  zones: Zone[]
  recorded?: Recorded
  context: Context
}

async function releaseVersion({
  inputs,
  urls,
  zones,
  recorded,
  context,
}: ReleaseRun): Promise<Properties> {
  const { accountId, scriptName, versionId } = inputs
  const { log } = context
  const api = context.api()
  const deployments = openDeployments({ api, accountId, scriptName })
  const [live, ...earlier] = await beforeAnyMove(versionId, deployments.list())
  const run = new DeploymentRun({ deployments, start: live, message: await releaseMessage() })
  const check = openSchemaCheck({ api, accountId, scriptName })

  // An earlier run may have been killed before it confirmed the version.
  const confirmed = recorded?.versionId === versionId && recorded.unconfirmed !== true
  if (live !== undefined && confirmed && nameOf(live.split) === versionId) {
    return outputsOf(inputs, live)
  }
  await beforeAnyMove(versionId, refuseMisfit({ check, versionId, log }))
  if (live === undefined) {
    log.info(`the first version of ${scriptName}: there is no traffic to protect yet`)
    return outputsOf(inputs, await deployAlone({ run, deployments, versionId }))
  }
  const { split } = live
  const url = await findAttachment({ api, accountId, scriptName, split, urls, zones })
  if (url === undefined) {
    log.warn(
      `no domain, no route and no workers.dev leads to ${scriptName}: deployed without a trial, as it has no traffic`,
    )
    return outputsOf(inputs, await deployAlone({ run, deployments, versionId }))
  }
  const otherParts = withTraffic(split).filter((part) => part.versionId !== versionId)
  const unfit = await beforeAnyMove(versionId, misfitOf({ check, split: otherParts, log }))
  const address = { url, connectTo: inputs.connectTo, headers: inputs.trialHeaders }
  const patience = (context.timeout ?? defaultTimeout) * 1000
  const traffic = openTraffic({ api, accountId, scriptName })
  // Fails early if the logs cannot be read: a release that cannot be judged would be undone later.
  if (inputs.limits) await beforeAnyMove(versionId, traffic.served(Date.now()))
  const trial = { ...inputs, ...context, deployments, run, address, patience, unfit, traffic }
  return outputsOf(
    inputs,
    await promote({ ...trial, to: allTraffic(versionId), history: [live, ...earlier] }),
  )
}

/** Adds to the error of a failed read that nothing has changed. */
async function beforeAnyMove<T>(versionId: string, question: Promise<T>): Promise<T> {
  try {
    return await question
  } catch (error) {
    if (!isFailure(error, "API_FAILED")) throw error
    throw new Error(
      `version ${versionId} was not released, and nothing has changed: ${messageOf(error)}`,
      { cause: error },
    )
  }
}

async function deployAlone(options: {
  run: DeploymentRun
  deployments: Deployments
  versionId: string
}): Promise<Deployment> {
  const { run, deployments, versionId } = options
  try {
    return await run.deploy(allTraffic(versionId))
  } catch (error) {
    const live = await deployments.live().catch(() => undefined)
    const serves = live === undefined ? "unknown, or nothing" : describeDeployment(live)
    throw new Error(
      `version ${versionId} was not released: ${messageOf(error)}. Live is ${serves}.`,
      { cause: error },
    )
  }
}

function outputsOf({ accountId, scriptName, versionId }: Inputs, { id }: Deployment): Recorded {
  return { accountId, scriptName, versionId, deploymentId: id }
}
