import { setTimeout as delay } from "node:timers/promises"

import * as z from "zod"

import { isFailure } from "../../failure.ts"
import type { Api } from "../api.ts"

/** Percentage of the traffic by version. */
export type Split = { versionId: string; percentage: number }[]

export type Deployment = { id: string; split: Split }

export type Deployments = {
  /** Undefined when the Worker has never been deployed. */
  live(): Promise<Deployment | undefined>
  /** Makes `split` live and reads it back. Throws when something else turns out to be live. */
  deploy(split: Split, message: string): Promise<Deployment>
}

const Entry = z.object({
  id: z.string(),
  versions: z.array(z.object({ version_id: z.string(), percentage: z.number() })),
})
const List = z.object({ deployments: z.array(Entry) })

const attempts = 3

export function openDeployments(options: {
  api: Api
  accountId: string
  scriptName: string
}): Deployments {
  const { api, accountId, scriptName } = options
  const account = encodeURIComponent(accountId)
  const path = `/accounts/${account}/workers/scripts/${encodeURIComponent(scriptName)}/deployments`

  const live = async (): Promise<Deployment | undefined> => {
    const { deployments } = await api.get(path, List)
    // Newest first; the newest is the one that serves.
    const [newest] = deployments
    if (newest === undefined) return undefined
    const split = newest.versions.map(({ version_id: versionId, percentage }) => ({
      versionId,
      percentage,
    }))
    return { id: newest.id, split }
  }

  const post = async (split: Split, message: string): Promise<void> => {
    const versions = split.map(({ versionId, percentage }) => ({
      version_id: versionId,
      percentage,
    }))
    const annotations = { "workers/message": message }
    const body = { strategy: "percentage", versions, annotations }
    await api.post(path, body, z.unknown())
  }

  const deploy = async (split: Split, message: string): Promise<Deployment> => {
    for (let attempt = 1; ; attempt += 1) {
      const failure = await post(split, message).then(
        () => undefined,
        (error: unknown) => error,
      )
      if (failure !== undefined && !isLost(failure)) throw failure
      const now = await liveAfter(live, split)
      if (now !== undefined && sameSplit(now.split, split)) return now
      if (failure === undefined) {
        throw new Error(
          `${describeSplit(split)} was deployed, but live is ${describeSplit(now?.split ?? [])}`,
        )
      }
      // Lost and without effect, as just read. Deploying the same split twice changes nothing.
      if (attempt === attempts) throw failure
    }
  }
  return { live, deploy }
}

function isLost(error: unknown): boolean {
  return isFailure(error, "API_FAILED") && error.facts.lost
}

/** The list may lag behind an accepted deployment. */
async function liveAfter(
  live: () => Promise<Deployment | undefined>,
  split: Split,
): Promise<Deployment | undefined> {
  for (const pause of [0, 500, 1500]) {
    await delay(pause)
    const now = await live()
    if (now !== undefined && sameSplit(now.split, split)) return now
  }
  return live()
}

function sameSplit(one: Split, other: Split): boolean {
  return describeSplit(one) === describeSplit(other)
}

export function describeSplit(split: Split): string {
  const parts = split.map(({ versionId, percentage }) => `${versionId} at ${percentage} %`)
  return parts.toSorted().join(" and ") || "nothing"
}

/** Leaves out versions without traffic, which are deployed only to be tried. */
export function withTraffic(split: Split): Split {
  return split.filter(({ percentage }) => percentage > 0)
}
