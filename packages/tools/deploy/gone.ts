import { setTimeout as delay } from "node:timers/promises"

import { isFailure } from "../base/failure.ts"

/**
 * Whether Cloudflare itself says that there is no such thing: by the status, as
 * terraform-provider-cloudflare reads it, in an envelope of its own. The codes differ by route and are in
 * hardly any document; and a page of something in between says nothing of what there is.
 */
export function isGone(error: unknown): boolean {
  return (
    isFailure(error, "API_FAILED") && error.facts.status === 404 && error.facts.readable === true
  )
}

export async function unlessGone<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (isGone(error)) return undefined
    throw error
  }
}

/** Milliseconds, both as in wrangler's `fetchUploadedVersion`. */
const pause = 500
const usualPatience = 2000

/** Asks again for what Cloudflare may not show yet, because it is new. */
export async function unlessStillGone<T>(
  ask: () => Promise<T>,
  patience = usualPatience,
): Promise<T | undefined> {
  const deadline = Date.now() + patience
  for (;;) {
    const answer = await unlessGone(ask())
    if (answer !== undefined || Date.now() + pause > deadline) return answer
    await delay(pause)
  }
}
