import { setTimeout as sleep } from "node:timers/promises"

import * as z from "zod"

/** Milliseconds that a restarted process may take to listen, as long as a first start. */
const timeout = 30_000
/** Milliseconds between attempts. */
const pause = 50

/** Repeats `attempt` while its connection is refused, because the process is being restarted. */
export async function waitUntilListening<T>(attempt: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + timeout
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!isRefused(error) || performance.now() > deadline) throw error
      await sleep(pause)
    }
  }
}

const Refused = z.object({ code: z.literal("ECONNREFUSED") })
/** `fetch` puts the code in the cause. */
const Wrapped = z.object({ cause: Refused })

function isRefused(error: unknown) {
  return Refused.safeParse(error).success || Wrapped.safeParse(error).success
}
