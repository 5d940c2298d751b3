import * as z from "zod"

import { isFailure } from "../../failure.ts"
import type { Api } from "../api.ts"
import { unlessNoWorker } from "../no-such-worker.ts"

/** Percentage of the traffic by version. */
export type Split = { versionId: string; percentage: number }[]

export type Deployment = {
  id: string
  split: Split
  /** Who made it, as far as Cloudflare knows: an e-mail address, or the kind of client. */
  author: string
  /** ISO 8601. */
  at: string
  message: string
}

export type Deployments = {
  /** Newest first; the newest serves. Empty when the Worker has never been deployed. */
  list(): Promise<Deployment[]>
  /** Undefined when the Worker has never been deployed. */
  live(): Promise<Deployment | undefined>
  /**
   * Returns the id of the new deployment, as far as Cloudflare says it.
   * @param options.force deploys even a version whose secrets have changed since
   */
  post(split: Split, message: string, options?: { force: boolean }): Promise<string | undefined>
  /** Whether a version is one of this Worker's. */
  owns(versionId: string): Promise<boolean>
}

const Entry = z.object({
  id: z.string(),
  versions: z.array(z.object({ version_id: z.string(), percentage: z.number() })),
  created_on: z.string().default("at an unknown time"),
  author_email: z.string().optional(),
  source: z.string().default("somebody"),
  annotations: z.looseObject({ "workers/message": z.string().optional() }).nullish(),
})
const Created = z.object({ id: z.string() })
const List = z.object({ deployments: z.array(Entry) })

export function openDeployments(options: {
  api: Api
  accountId: string
  scriptName: string
}): Deployments {
  const { api, accountId, scriptName } = options
  const account = encodeURIComponent(accountId)
  const script = `/accounts/${account}/workers/scripts/${encodeURIComponent(scriptName)}`
  const path = `${script}/deployments`

  const list = async (): Promise<Deployment[]> => {
    // A Worker that was never deployed may be unknown as a script.
    const nothing = { deployments: [] }
    const { deployments } = await unlessNoWorker(api.get(path, List), nothing)
    return deployments.map((entry) => ({
      id: entry.id,
      split: entry.versions.map(({ version_id: versionId, percentage }) => ({
        versionId,
        percentage,
      })),
      author: entry.author_email ?? entry.source,
      at: entry.created_on,
      message: entry.annotations?.["workers/message"] ?? "",
    }))
  }

  return {
    list,
    live: async () => (await list())[0],

    async post(split, message, { force } = { force: false }) {
      const versions = split.map(({ versionId, percentage }) => ({
        version_id: versionId,
        percentage,
      }))
      const annotations = { "workers/message": message }
      const body = { strategy: "percentage", versions, annotations }
      const answer = await api.post(force ? `${path}?force=true` : path, body, z.unknown())
      return Created.safeParse(answer).data?.id
    },

    async owns(versionId) {
      if (!z.uuid().safeParse(versionId).success) return false
      const version = api.get(`${script}/versions/${versionId}`, z.unknown())
      return version.then(
        () => true,
        (error: unknown) => {
          if (!isFailure(error, "API_FAILED")) throw error
          const { status, code } = error.facts
          // A page of a proxy has no code.
          if (status === 404 && code !== undefined) return false
          throw error
        },
      )
    },
  }
}

export function sameSplit(one: Split, other: Split): boolean {
  return describeSplit(one) === describeSplit(other)
}

export function describeSplit(split: Split): string {
  const parts = split.map(({ versionId, percentage }) => `${versionId} at ${percentage} %`)
  return parts.toSorted().join(" and ") || "nothing"
}

/** Who deployed what, when, and why. */
export function describeDeployment({ split, author, at, message }: Deployment): string {
  const reason = message === "" ? "without a message" : `"${message}"`
  return `${describeSplit(split)}, deployed by ${author} at ${at} (${reason})`
}

/** Leaves out versions without traffic, which are deployed only to be tried. */
export function withTraffic(split: Split): Split {
  return split.filter(({ percentage }) => percentage > 0)
}

export function shareOf(split: Split, versionId: string): number {
  return split.find((part) => part.versionId === versionId)?.percentage ?? 0
}

export function allTraffic(versionId: string): Split {
  return [{ versionId, percentage: 100 }]
}

/**
 * A version at this share, and the rest for another one that serves. Cloudflare deploys two versions at
 * most, so where two others serve, one has to leave: the one with less traffic, now or before they had
 * the same.
 */
export function splitWith(part: Split[number], history: [Deployment, ...Deployment[]]): Split {
  const [{ split }] = history
  const others = withTraffic(split).filter(({ versionId }) => versionId !== part.versionId)
  const [base] = others.toSorted((one, other) => {
    const differences = history.map(
      (deployment) =>
        shareOf(deployment.split, other.versionId) - shareOf(deployment.split, one.versionId),
    )
    return differences.find((difference) => difference !== 0) ?? 0
  })
  if (base === undefined) return [part]
  return [{ versionId: base.versionId, percentage: 100 - part.percentage }, part]
}
