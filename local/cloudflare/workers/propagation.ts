/** Lets what is read now become what is known, after the delay that is set. */
export type Propagation<T> = {
  /** What is known everywhere. */
  known(): T
  /** What is known or on its way, oldest first. */
  pending(): T[]
  /** Takes effect `delay()` milliseconds from now, and never after what was announced later. */
  announce(next: T): void
  stop(): void
}

type Options<T> = { first: T; delay: () => number; onChange: () => void }

export function createPropagation<T>({ first, delay, onChange }: Options<T>): Propagation<T> {
  const timers = new Set<NodeJS.Timeout>()
  let values = [first]

  function settle(value: T) {
    const index = values.indexOf(value)
    // Overtaken by something newer.
    if (index === -1) return
    values = values.slice(index)
    onChange()
  }

  return {
    known: () => values.slice(0, 1)[0] ?? first,
    pending: () => values,
    announce(next) {
      values = [...values, next]
      const wait = delay()
      if (wait === 0) return settle(next)
      const timer = setTimeout(() => {
        timers.delete(timer)
        settle(next)
      }, wait)
      timers.add(timer.unref())
      onChange()
    },
    stop() {
      for (const timer of timers) clearTimeout(timer)
    },
  }
}
