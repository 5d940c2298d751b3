import { setTimeout as sleep } from "node:timers/promises"

import * as z from "zod"

/** How long a process that has died may take to listen again, in milliseconds: as long as to start. */
const patience = 30_000
const pause = 50

/** Repeats what was never sent, since nobody listened: the process dies and is being restarted. */
export async function waitUntilListening<T>(attempt: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + patience
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
/** `fetch` hides the code in the cause. */
const Wrapped = z.object({ cause: Refused })

function isRefused(error: unknown) {
  return Refused.safeParse(error).success || Wrapped.safeParse(error).success
}
