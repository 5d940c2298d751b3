import { setTimeout as delay } from "node:timers/promises"

import { isFailure } from "../../base/failure.ts"
import {
  type Deployment,
  type Deployments,
  describeSplit,
  sameSplit,
  type Split,
} from "./deployments.ts"

/** A deployment that is to be made. */
export type Posting = {
  split: Split
  message: string
  force?: boolean
  /** Ids of deployments that it may replace, and then its own; undefined stands for none at all. */
  onto: Set<string | undefined>
}

/** What became of it. Cloudflare has no condition on a deployment, so its list tells only afterwards. */
type Posted =
  | { state: "serves"; made: Deployment }
  /** Somebody else deployed before it, which then was not made, or after it. */
  | { state: "foreign"; live: Deployment | undefined }
  /** It serves in place of one that somebody else made at the same moment. */
  | { state: "replaced"; lost: Deployment }

const attempts = 3
/** Milliseconds; the list may lag behind an accepted deployment. */
const readings = [0, 500, 1500]

type Site = { deployments: Deployments; list: Deployments["list"] }

export async function post(posting: Posting, { deployments, list }: Site): Promise<Posted> {
  const { split, message, onto, force = false } = posting
  const earlier = await list()
  const [before] = earlier
  if (!onto.has(before?.id)) return { state: "foreign", live: before }
  for (let attempt = 1; ; attempt += 1) {
    const { id, failure } = await deployments.post(split, message, { force }).then(
      (answered) => ({ id: answered, failure: undefined }),
      (error: unknown) => ({ id: undefined, failure: error }),
    )
    if (failure !== undefined && !isLost(failure)) throw failure
    // An answer may be lost, so the id alone cannot tell.
    const isMine = (entry: Deployment) => entry.id === id || isMadeBy(posting, entry)
    const now = await listWith(isMine, { earlier, list })
    const [live] = now
    const since = newIn(now, earlier)
    const made = since.find(isMine)
    if (made !== undefined) {
      for (const mine of since.filter(isMine)) onto.add(mine.id)
      if (live !== undefined && !isMine(live)) return { state: "foreign", live }
      const lost = since.find((entry) => !isMine(entry))
      return lost === undefined ? { state: "serves", made } : { state: "replaced", lost }
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

/** The newest, down to the first that was there before: anybody may delete one that does not serve. */
function newIn(list: Deployment[], earlier: Deployment[]): Deployment[] {
  const known = new Set(earlier.map(({ id }) => id))
  const index = list.findIndex(({ id }) => known.has(id))
  return index === -1 ? list : list.slice(0, index)
}

function isMadeBy({ split, message }: Posting, entry: Deployment): boolean {
  return sameSplit(entry.split, split) && entry.message === message
}

function isLost(error: unknown): boolean {
  return isFailure(error, "API_FAILED") && error.facts.lost
}
