import { setImmediate } from "node:timers/promises"

export type Clock = ReturnType<typeof createClock>

/** Milliseconds that pass from event to event, so that a seed gives the same run on every machine. */
export function createClock() {
  const planned: { moment: number; act: () => void }[] = []
  let now = 0

  const at = (moment: number, act: () => void) => {
    const index = planned.findLastIndex((event) => event.moment <= moment) + 1
    planned.splice(index, 0, { moment, act })
  }

  return {
    now: () => now,
    at,
    sleep: (milliseconds: number) =>
      new Promise<void>((resolve) => {
        at(now + milliseconds, resolve)
      }),
    /** Runs what is planned until then; whoever waits for an event goes on before the next one. */
    async runUntil(end: number) {
      while ((planned[0]?.moment ?? Infinity) <= end) {
        const event = planned.shift()
        now = event?.moment ?? now
        event?.act()
        await setImmediate()
      }
    },
  }
}
