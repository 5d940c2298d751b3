import { setTimeout as delay } from "node:timers/promises"

import { isFailure, messageOf } from "../../base/failure.ts"
import {
  type Deployment,
  type Deployments,
  type Split,
  describeDeployment,
  describeSplit,
  sameSplit,
} from "./deployments.ts"
import { cutMessage } from "./provenance.ts"

/** Thrown when another deployment was made during a run. It serves, and stays. */
class ForeignDeployment extends Error {
  override name = "ForeignDeployment"
}

/** The deployments of one run, which replaces only what it found at its start and what it made. */
export type DeploymentRun = {
  /**
   * Makes `split` live and reads it back. Throws ForeignDeployment when someone else has deployed since:
   * before this, then nothing is changed; at the same time, then theirs is deployed again.
   */
  deploy(split: Split): Promise<Deployment>
  /** The same, even when secrets have changed since; returns the sentence that says which. */
  restore(split: Split, message: string): Promise<string>
  /** The live deployment if it was made elsewhere during the run. */
  foreign(): Promise<Deployment | undefined>
  /** Deploys again what someone else deployed at the same time, if `deploy` failed to do that. */
  giveBack(): Promise<void>
  /** The deployment that was live when it was last read. */
  seen(): Deployment | undefined
}

/** As wrangler reads it when it refuses a rollback to a version with another value of a secret. */
export const overSecrets = /secrets? ha(?:s|ve) changed/i

/** Where a run stands. */
type State = {
  /** The deployment that was live when it was last read. */
  seen: Deployment | undefined
  /** Ids of what it found at its start and of what it made: all that it may replace. */
  own: Set<string | undefined>
  /** The deployment that it replaced without knowing it, until that serves again. */
  owed: { lost: Deployment; onto: Set<string | undefined> } | undefined
}

export function openDeploymentRun(options: {
  deployments: Deployments
  /** The live deployment at the start. */
  start: Deployment | undefined
  message: string
  /** Told the names of secrets that get former values by a deployment; without it such a one is refused. */
  onFormerSecrets?: ((names: string) => void) | undefined
}): DeploymentRun {
  const { deployments, start, message, onFormerSecrets } = options
  const state: State = { seen: start, own: new Set([start?.id]), owed: undefined }

  async function list(): Promise<Deployment[]> {
    const listed = await deployments.list()
    state.seen = listed[0]
    return listed
  }

  async function make(posting: DeploymentRequest): Promise<Deployment> {
    const posted = await post(posting, { deployments, list })
    if (posted.state === "serves") return posted.made
    if (posted.state === "foreign") throw foreignTo(posted.live)
    state.owed = { lost: posted.lost, onto: new Set(posting.onto) }
    await giveBack()
    throw foreignTo(posted.lost)
  }

  async function giveBack(): Promise<void> {
    if (state.owed === undefined) return
    const { lost, onto } = state.owed
    const repeatMessage = cutMessage(
      `deployed again after a release at the same time: ${lost.message}`,
    )
    await makeOverSecrets({ split: lost.split, message: repeatMessage, onto }).catch(
      (error: unknown) => {
        if (error instanceof ForeignDeployment) throw error
        throw new Error(
          `this replaced a deployment that another client made at the same time (${describeDeployment(lost)}), ` +
            `which could not be deployed again: ${messageOf(error)}`,
          { cause: error },
        )
      },
    )
    state.owed = undefined
  }

  /** Without force at first: the refusal names the secrets, which may be its reason. */
  async function makeOverSecrets(posting: DeploymentRequest) {
    try {
      return { made: await make(posting), secrets: undefined }
    } catch (error) {
      if (!isRefused(error)) throw error
      const deployment = await make({ ...posting, force: true })
      return { made: deployment, secrets: changedSecrets(error.message) }
    }
  }

  return {
    giveBack,
    seen: () => state.seen,
    async deploy(split) {
      const posting = { split, message, onto: state.own }
      if (onFormerSecrets === undefined) return await make(posting)
      const { made, secrets } = await makeOverSecrets(posting)
      if (secrets !== undefined) onFormerSecrets(secrets)
      return made
    },
    async restore(split, reason) {
      const { secrets } = await makeOverSecrets({ split, message: reason, onto: state.own })
      return secrets === undefined
        ? ""
        : ` Secrets have other values again, those of that version: ${secrets}.`
    },
    async foreign() {
      const [live] = await list()
      return state.own.has(live?.id) ? undefined : live
    },
  }
}

export function foreignTo(live: Deployment | undefined): ForeignDeployment {
  if (live === undefined) return new ForeignDeployment("another client removed every deployment")
  return new ForeignDeployment(`another client has deployed since: ${describeDeployment(live)}`)
}

function isRefused(error: unknown): error is Error {
  return (
    isFailure(error, "API_FAILED") && error.facts.status === 400 && error.facts.readable === true
  )
}

/** Cloudflare's words, as wrangler reads them: "The following secrets have changed: ONE, TWO". */
function changedSecrets(message: string): string {
  const names = /secrets have changed:\s*([\w, -]+?)\s*(?:\[code|$)/.exec(message)?.[1]
  return names ?? message
}

/** A request to create a deployment. */
type DeploymentRequest = {
  split: Split
  message: string
  force?: boolean
  /** Ids of deployments that it may replace, and then its own; undefined stands for none at all. */
  onto: Set<string | undefined>
}

/**
 * The outcome of such a request. Cloudflare has no condition on a deployment, so its list tells only
 * afterwards.
 */
type DeploymentOutcome =
  | { state: "serves"; made: Deployment }
  /** Someone else deployed before it, so that it was not made, or after it. */
  | { state: "foreign"; live: Deployment | undefined }
  /** It serves in place of one that someone else made at the same time. */
  | { state: "replaced"; lost: Deployment }

const attempts = 3
/** Milliseconds; the list may lag behind an accepted deployment. */
const readings = [0, 500, 1500]

type Site = { deployments: Deployments; list: Deployments["list"] }

async function post(
  posting: DeploymentRequest,
  { deployments, list }: Site,
): Promise<DeploymentOutcome> {
  const { split, message, onto, force = false } = posting
  const earlier = await list()
  const [before] = earlier
  if (!onto.has(before?.id)) return { state: "foreign", live: before }
  for (let attempt = 1; ; attempt += 1) {
    const { id, failure } = await deployments.post(split, message, { force }).then(
      (deploymentId) => ({ id: deploymentId, failure: undefined }),
      (error: unknown) => ({ id: undefined, failure: error }),
    )
    if (failure !== undefined && !isLost(failure)) throw failure
    // An answer may be lost, so the id alone cannot tell.
    const isMine = (entry: Deployment) => entry.id === id || isMadeBy(posting, entry)
    const now = await listWith(isMine, { earlier, list })
    const [live] = now
    const since = newIn(now, earlier)
    const deployment = since.find(isMine)
    if (deployment !== undefined) {
      for (const mine of since.filter(isMine)) onto.add(mine.id)
      if (live !== undefined && !isMine(live)) return { state: "foreign", live }
      const lost = since.find((entry) => !isMine(entry))
      return lost === undefined
        ? { state: "serves", made: deployment }
        : { state: "replaced", lost }
    }
    if (live !== undefined && live.id !== before?.id) return { state: "foreign", live }
    if (failure === undefined) {
      throw new Error(
        `${describeSplit(split)} was deployed, but live is ${describeSplit(live?.split ?? [])}`,
      )
    }
    // Lost and without effect, as just read. Deploying the same split twice changes nothing.
    if (attempt === attempts) throw failure
  }
}

async function listWith(
  isMine: (entry: Deployment) => boolean,
  { earlier, list }: { earlier: Deployment[]; list: Deployments["list"] },
): Promise<Deployment[]> {
  for (const pause of readings) {
    await delay(pause)
    const now = await list()
    if (newIn(now, earlier).some(isMine)) return now
  }
  return list()
}

/**
 * Returns the deployments that are newer than the first known one: any other may have been deleted if it
 * does not serve.
 */
function newIn(list: Deployment[], earlier: Deployment[]): Deployment[] {
  const earlierIds = new Set(earlier.map(({ id }) => id))
  const index = list.findIndex(({ id }) => earlierIds.has(id))
  return index === -1 ? list : list.slice(0, index)
}

function isMadeBy({ split, message }: DeploymentRequest, entry: Deployment): boolean {
  return sameSplit(entry.split, split) && entry.message === message
}

function isLost(error: unknown): boolean {
  return isFailure(error, "API_FAILED") && error.facts.lost
}
