import { setTimeout as delay } from "node:timers/promises"

import { isFailure, messageOf } from "../../base/failure.ts"
import {
  type Deployment,
  type Deployments,
  describeDeployment,
  describeSplit,
  sameSplit,
  type Split,
} from "./deployments.ts"
import { cutMessage } from "./provenance.ts"

/** Somebody else deployed during a run. Their deployment serves, and stays. */
class ForeignDeployment extends Error {
  override name = "ForeignDeployment"
}

/** The deployments of one run, which replaces only what it found at its start and what it made. */
export type DeploymentRun = {
  /**
   * Makes `split` live and reads it back. Throws ForeignDeployment when somebody else has deployed
   * since: before this, then nothing is changed; at the same moment, then theirs is deployed again.
   */
  deploy(split: Split): Promise<Deployment>
  /** The same, even when secrets have changed since; returns the sentence that says which. */
  restore(split: Split, message: string): Promise<string>
  /** The live deployment if somebody else made it during the run. */
  foreign(): Promise<Deployment | undefined>
  /** Deploys again what somebody else made at the same moment, if `deploy` failed to do that. */
  giveBack(): Promise<void>
  /** What was live when it was last read. */
  seen(): Deployment | undefined
}

type Posting = {
  split: Split
  message: string
  force?: boolean
  /** Ids of deployments that this one may replace; undefined stands for none at all. */
  onto: Set<string | undefined>
}

const attempts = 3
/** Milliseconds; the list may lag behind an accepted deployment. */
const readings = [0, 500, 1500]
/** As wrangler reads it when it refuses a rollback to a version with another value of a secret. */
export const overSecrets = /secrets? ha(?:s|ve) changed/i

export function openDeploymentRun(options: {
  deployments: Deployments
  /** What was live at the start. */
  start: Deployment | undefined
  message: string
  /** Told the names of secrets that get former values by a deployment; without it such a one is refused. */
  onFormerSecrets?: ((names: string) => void) | undefined
}): DeploymentRun {
  const { deployments, start, message, onFormerSecrets } = options
  const own = new Set<string | undefined>([start?.id])
  let seen = start
  /** What this run replaced without knowing it. */
  let owed: { lost: Deployment; onto: Set<string | undefined> } | undefined

  async function readAll(): Promise<Deployment[]> {
    const list = await deployments.list()
    seen = list[0]
    return list
  }

  /** Cloudflare has no condition on a deployment, so what it replaced is known only afterwards. */
  async function post(posting: Posting): Promise<Deployment> {
    const { split, onto, force = false } = posting
    const earlier = await readAll()
    const [before] = earlier
    if (!onto.has(before?.id)) throw foreignTo(before)
    for (let attempt = 1; ; attempt += 1) {
      const { id, failure } = await deployments.post(split, posting.message, { force }).then(
        (answered) => ({ id: answered, failure: undefined }),
        (error: unknown) => ({ id: undefined, failure: error }),
      )
      if (failure !== undefined && !isLost(failure)) throw failure
      // An answer may be lost, so the id alone cannot tell.
      const isMine = (entry: Deployment) => entry.id === id || isMadeBy(posting, entry)
      const list = await listAfter(isMine, earlier)
      const since = newIn(list, earlier)
      const made = since.find(isMine)
      if (made !== undefined) return await settle({ posting, since, isMine, made })
      const [live] = list
      if (live !== undefined && live.id !== before?.id) throw foreignTo(live)
      if (failure === undefined) {
        throw new Error(
          `${describeSplit(split)} was deployed, but live is ${describeSplit(live?.split ?? [])}`,
        )
      }
      // Lost and without effect, as just read. Deploying the same split twice changes nothing.
      if (attempt === attempts) throw failure
    }
  }

  async function settle(posted: {
    posting: Posting
    /** What was deployed since, newest first, `made` included. */
    since: Deployment[]
    isMine: (entry: Deployment) => boolean
    made: Deployment
  }): Promise<Deployment> {
    const { posting, since, isMine, made } = posted
    for (const { id } of since.filter(isMine)) posting.onto.add(id)
    const [live] = since
    if (live !== undefined && !isMine(live)) throw foreignTo(live)
    const lost = since.find((entry) => !isMine(entry))
    if (lost === undefined) return made
    owed = { lost, onto: new Set(posting.onto) }
    await giveBack()
    throw foreignTo(lost)
  }

  async function giveBack(): Promise<void> {
    if (owed === undefined) return
    const { lost, onto } = owed
    const again = cutMessage(`deployed again after a release at the same time: ${lost.message}`)
    await forced({ split: lost.split, message: again, onto }).catch((error: unknown) => {
      if (error instanceof ForeignDeployment) throw error
      throw new Error(
        `this replaced a deployment that somebody else made at the same moment (${describeDeployment(lost)}), ` +
          `which could not be deployed again: ${messageOf(error)}`,
        { cause: error },
      )
    })
    owed = undefined
  }

  /** Without force at first: the refusal names the secrets, which may be its reason. */
  async function forced(posting: Posting): Promise<{ made: Deployment; secrets?: string }> {
    try {
      return { made: await post(posting) }
    } catch (error) {
      if (!isRefused(error)) throw error
      const made = await post({ ...posting, force: true })
      return { made, secrets: changedSecrets(error.message) }
    }
  }

  async function deploy(split: Split): Promise<Deployment> {
    const posting = { split, message, onto: own }
    if (onFormerSecrets === undefined) return await post(posting)
    const { made, secrets } = await forced(posting)
    if (secrets !== undefined) onFormerSecrets(secrets)
    return made
  }

  async function restore(split: Split, reason: string): Promise<string> {
    const { secrets } = await forced({ split, message: reason, onto: own })
    return secrets === undefined
      ? ""
      : ` Secrets have other values again, those of that version: ${secrets}.`
  }

  return {
    deploy,
    restore,
    giveBack,
    seen: () => seen,
    async foreign() {
      const [live] = await readAll()
      return own.has(live?.id) ? undefined : live
    },
  }

  async function listAfter(isMine: (entry: Deployment) => boolean, earlier: Deployment[]) {
    for (const pause of readings) {
      await delay(pause)
      const list = await readAll()
      if (newIn(list, earlier).some(isMine)) return list
    }
    return readAll()
  }
}

/** The newest, down to the first that was there before: anybody may delete one that does not serve. */
function newIn(list: Deployment[], earlier: Deployment[]): Deployment[] {
  const known = new Set(earlier.map(({ id }) => id))
  const index = list.findIndex(({ id }) => known.has(id))
  return index === -1 ? list : list.slice(0, index)
}

function isMadeBy({ split, message }: Posting, entry: Deployment): boolean {
  return sameSplit(entry.split, split) && entry.message === message
}

export function foreignTo(live: Deployment | undefined): ForeignDeployment {
  if (live === undefined) return new ForeignDeployment("somebody removed every deployment")
  return new ForeignDeployment(`somebody else deployed meanwhile: ${describeDeployment(live)}`)
}

function isLost(error: unknown): boolean {
  return isFailure(error, "API_FAILED") && error.facts.lost
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
