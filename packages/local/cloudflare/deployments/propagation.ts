type Options<T> = { first: T; delay: () => number; onChange: () => void }

/** A value whose changes take effect after a delay. */
export function createPropagation<T>({ first, delay, onChange }: Options<T>) {
  const timers = new Set<NodeJS.Timeout>()
  let values = [first]

  function settle(value: T) {
    const index = values.indexOf(value)
    // A newer value has taken effect already.
    if (index === -1) return
    values = values.slice(index)
    onChange()
  }

  return {
    current: () => values.slice(0, 1)[0] ?? first,
    /** The current value and those still to take effect, oldest first. */
    pending: () => values,
    /** Takes effect after `delay()` milliseconds, and never after a value published later. */
    publish(next: T) {
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
