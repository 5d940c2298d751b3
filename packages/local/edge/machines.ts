import { seededRandom } from "../faults/seeded-random.ts"
import type { Settings, SettingsStore } from "../faults/settings.ts"

type Options<T> = { first: T; settings: Pick<SettingsStore, "read">; onChange: () => void }

/**
 * Simulates the machines of Cloudflare's edge. Each machine applies a change after its own delay, so for a
 * while some serve the new deployment and others the previous one. A connection stays on the machine that
 * accepted it.
 */
export function createMachines<T>({ first, settings, onChange }: Options<T>) {
  const positions = new WeakMap<object, number>()
  let seeded = { settings: settings.read().machines, ...createRandoms(settings.read().machines) }
  let machines = [createMachine(first)]

  /** New settings restart both random sequences, so that the seed alone decides the result. */
  function current() {
    const { machines: machineSettings } = settings.read()
    if (machineSettings !== seeded.settings) {
      seeded = { settings: machineSettings, ...createRandoms(machineSettings) }
    }
    return seeded
  }

  function createMachine(value: T) {
    return createPropagation({ first: value, delay, onChange: () => onChange() })
  }

  function delay(): number {
    const { settings: machineSettings, nextDelay } = current()
    return settings.read().propagationMs + Math.round(nextDelay() * machineSettings.spreadMs)
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
    /** Returns the value on the machine that accepted the connection. */
    read(connection: object) {
      const { nextPosition } = current()
      // Between 0 and 1, so that it still selects a machine after a resize.
      const position = positions.get(connection) ?? nextPosition()
      positions.set(connection, position)
      const machine = machines[Math.floor(position * machines.length)]
      return machine === undefined ? first : machine.current()
    },
    /** Returns all values that any machine serves now or will serve. */
    values: () => [...new Set(machines.flatMap((machine) => machine.pending()))],
    publish(next: T) {
      resize(current().settings.count)
      for (const machine of machines) machine.publish(next)
    },
    stop() {
      for (const machine of machines) machine.stop()
    },
  }
}

/** Two independent sequences: which machine a connection reaches, and how long a machine waits. */
function createRandoms({ seed }: Settings["machines"]) {
  return { nextPosition: seededRandom(seed), nextDelay: seededRandom(seed + 1) }
}

type PropagationOptions<T> = { first: T; delay: () => number; onChange: () => void }

/** Creates a value whose changes take effect after a delay. */
export function createPropagation<T>({ first, delay, onChange }: PropagationOptions<T>) {
  const timers = new Set<NodeJS.Timeout>()
  let values = [first]

  function settle(value: T) {
    const index = values.indexOf(value)
    // A newer value is already in effect.
    if (index === -1) return
    values = values.slice(index)
    onChange()
  }

  return {
    current: () => values.slice(0, 1)[0] ?? first,
    /** Returns the current value and the pending values, oldest first. */
    pending: () => values,
    /** Publishes a value, in effect after `delay()` milliseconds unless a later value is in effect by then. */
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
