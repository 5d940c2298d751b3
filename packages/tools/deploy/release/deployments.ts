import * as z from "zod"

import { Failure } from "../../base/failure.ts"
import { type WorkerPlace, undefinedIfNotFound } from "../api.ts"
import { openUploads } from "../version/uploads.ts"

/** Percentage of the traffic by version. */
export type Split = { versionId: string; percentage: number }[]

export type Deployment = {
  id: string
  split: Split
  /** The author's e-mail address, or the kind of client if Cloudflare does not know it. */
  author: string
  /** ISO 8601. */
  at: string
  message: string
}

export type Deployments = ReturnType<typeof openDeployments>

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
const Worker = z.object({ deployed_on: z.string().nullish() })

export function openDeployments({ api, accountId, scriptName }: WorkerPlace) {
  const account = encodeURIComponent(accountId)
  const script = `/accounts/${account}/workers/scripts/${encodeURIComponent(scriptName)}`
  const path = `${script}/deployments`

  /** Lists deployments, newest first; the newest is live. Empty when the Worker was never deployed. */
  const list = async (): Promise<Deployment[]> => {
    // Cloudflare may not find the script of a Worker that was never deployed.
    const deployments = (await undefinedIfNotFound(api.get(path, List)))?.deployments ?? []
    if (deployments.length === 0) await refuseDeployed()
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

  /** Checks that the Worker was never deployed: without a deployment, a version gets all traffic untried. */
  const refuseDeployed = async () => {
    const worker = api.get(
      `/accounts/${account}/workers/workers/${encodeURIComponent(scriptName)}`,
      Worker,
    )
    const at = (await undefinedIfNotFound(worker))?.deployed_on
    if (at === undefined || at === null) return
    const message = `Cloudflare lists no deployment of ${scriptName}, but says that it was deployed at ${at}: run again`
    throw new Failure("API_FAILED", message, { facts: { lost: false } })
  }

  return {
    list,

    /** Returns undefined when the Worker has never been deployed. */
    live: async (): Promise<Deployment | undefined> => (await list())[0],

    /**
     * Creates a deployment. Returns its id; undefined if the response lacks it.
     * @param options.force deploys even a version whose secrets have changed since
     */
    async post(split: Split, message: string, { force } = { force: false }) {
      const versions = split.map(({ versionId, percentage }) => ({
        version_id: versionId,
        percentage,
      }))
      const annotations = { "workers/message": message }
      const body = { strategy: "percentage", versions, annotations }
      const answer = await api.post(force ? `${path}?force=true` : path, body, z.unknown())
      return Created.safeParse(answer).data?.id
    },

    /** Returns whether a version belongs to this Worker. */
    async owns(versionId: string): Promise<boolean> {
      if (!z.uuid().safeParse(versionId).success) return false
      return (await openUploads({ api, accountId, scriptName }).find(versionId)) !== undefined
    },
  }
}

export function sameSplit(a: Split, b: Split): boolean {
  return describeSplit(a) === describeSplit(b)
}

export function describeSplit(split: Split): string {
  const parts = split.map(({ versionId, percentage }) => `${versionId} at ${percentage} %`)
  return parts.toSorted().join(" and ") || "nothing"
}

/** Returns the id of the version with all traffic, or a description of the split. */
export function nameOf(split: Split): string {
  const serving = withTraffic(split)
  return serving[0]?.percentage === 100 ? serving[0].versionId : describeSplit(serving)
}

/** Describes a deployment on one line: author, split, time and reason. */
export function describeDeployment({ split, author, at, message }: Deployment): string {
  const reason = message === "" ? "without a message" : JSON.stringify(message)
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
 * Gives a version this share, and the rest to a live version. Cloudflare deploys at most two versions: if
 * two others are live, drops the version with less traffic, now or when their shares last differed.
 */
export function splitWith(part: Split[number], history: [Deployment, ...Deployment[]]): Split {
  const [{ split }] = history
  const otherParts = withTraffic(split).filter(({ versionId }) => versionId !== part.versionId)
  const [base] = otherParts.toSorted((a, b) => {
    const differences = history.map(
      (deployment) =>
        shareOf(deployment.split, b.versionId) - shareOf(deployment.split, a.versionId),
    )
    return differences.find((difference) => difference !== 0) ?? 0
  })
  if (base === undefined) return [part]
  return [{ versionId: base.versionId, percentage: 100 - part.percentage }, part]
}

/** Prefixes of this project's messages for deployments that are not releases. */
export const moves = {
  rollback: "rolled back from",
  restore: "restored the database behind",
  standIn: "answers 503 while the database is restored",
  failure: "restored after version",
} as const

export type Move = keyof typeof moves

const kinds = ["rollback", "restore", "standIn", "failure"] as const

/** The effect of the next `up` after each move, and what to do instead. */
const ways: Record<Move, { up: string; next: (command: (verb: string) => string) => string }> = {
  rollback: {
    up: "an up releases that content again, unless its commit is reverted first",
    next: (command) => `revert the commit that was released, then ${command("up")}`,
  },
  restore: {
    up: "an up applies the migrations of its checkout again, and releases it",
    next: (command) => `${command("plan")}, at the commit that is to serve the restored rows`,
  },
  standIn: {
    up: "an up would release in the middle of a restore, which runs or was killed",
    next: (command) => `${command("database restore")}, as it was begun, or with --undo`,
  },
  failure: {
    up: "an up releases what failed again, unless it is fixed or reverted first",
    next: (command) => `fix or revert what was released, then ${command("up")}`,
  },
}

/** Returns the message of the deployment that restores the previous split after a failed release. */
export function failureMessage(versionId: string, reason: string): string {
  return `${moves.failure} ${versionId} failed: ${reason.replaceAll(/\s+/g, " ").replace(/[:.\s]+$/, "")}`
}

/** Returns undefined for a release and for a deployment made elsewhere. */
export function moveOf({ message }: Pick<Deployment, "message">): Move | undefined {
  return kinds.find((kind) => message.startsWith(moves[kind]))
}

export type OwnMove = { move: Move; done: string; up: string; next: string }

function plainCommand(verb: string) {
  return `./accounts ${verb}`
}

/** Describes the last command of this project; undefined if the deployment was made otherwise. */
export function describeMove(live: Deployment, command = plainCommand): OwnMove | undefined {
  const move = moveOf(live)
  if (move === undefined) return undefined
  const { up, next } = ways[move]
  return { move, done: doneBy(move, live), up, next: next(command) }
}

/** Describes a version that was uploaded and never got traffic. */
export function unreleased({ split }: Deployment, command = plainCommand): OwnMove {
  const { up, next } = ways.failure
  const done = `the last up has uploaded a version and not released it; ${nameOf(split)} serves`
  return { move: "failure", done, up, next: next(command) }
}

function doneBy(move: Move, { message, at, split }: Deployment): string {
  const [, versionId, reason] = /^restored after version (\S+) failed: (.*)$/.exec(message) ?? []
  if (move !== "failure" || reason === undefined) return `${message}, ${at}`
  return `the last release failed because ${reason}; ${nameOf(split)} serves since ${at}, not ${versionId}`
}
