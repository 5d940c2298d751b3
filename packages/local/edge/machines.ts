import { seededRandom } from "../faults/seeded-random.ts"
import type { Settings, SettingsStore } from "../faults/settings.ts"

type Options<T> = { first: T; settings: Pick<SettingsStore, "read">; onChange: () => void }

/**
 * The machines of the edge. Each of them takes up a change at a time of its own, so that for a while
 * some serve the new deployment and others the one before. A client stays on the machine that accepted
 * its connection.
 */
export function createMachines<T>({ first, settings, onChange }: Options<T>) {
  const connections = new WeakMap<object, number>()
  let drawn = { settings: settings.read().machines, ...draws(settings.read().machines) }
  let machines = [createMachine(first)]

  /** New settings start their own draws, so that a seed alone decides what follows. */
  function current() {
    const { machines: machineSettings } = settings.read()
    if (machineSettings !== drawn.settings) {
      drawn = { settings: machineSettings, ...draws(machineSettings) }
    }
    return drawn
  }

  function createMachine(value: T) {
    return createPropagation({ first: value, delay, onChange: () => onChange() })
  }

  function delay(): number {
    const { settings: machineSettings, times } = current()
    return settings.read().propagationMs + Math.round(times() * machineSettings.spreadMs)
  }

  function resize(count: number) {
    for (const machine of machines.slice(count)) machine.stop()
    const value = machines.slice(0, 1)[0]?.current() ?? first
    const missing = Math.max(0, count - machines.length)
    machines = [
      ...machines.slice(0, count),
      ...Array.from({ length: missing }, () => createMachine(value)),
    ]
  }

  return {
    /** The value on the machine that accepted the connection. */
    read(connection: object) {
      const { places } = current()
      const place = connections.get(connection) ?? places()
      connections.set(connection, place)
      const machine = machines[Math.floor(place * machines.length)]
      return machine === undefined ? first : machine.current()
    },
    /** The values that any machine has or will have. */
    held: () => [...new Set(machines.flatMap((machine) => machine.pending()))],
    publish(next: T) {
      resize(current().settings.count)
      for (const machine of machines) machine.publish(next)
    },
    stop() {
      for (const machine of machines) machine.stop()
    },
  }
}

/** Has a sequence for the machines of connections, and another for the delays of machines. */
function draws({ seed }: Settings["machines"]) {
  return { places: seededRandom(seed), times: seededRandom(seed + 1) }
}

type PropagationOptions<T> = { first: T; delay: () => number; onChange: () => void }

/** A value whose changes take effect after a delay. */
export function createPropagation<T>({ first, delay, onChange }: PropagationOptions<T>) {
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
    /** The current value and the pending ones, oldest first. */
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
