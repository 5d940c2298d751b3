import type { Instance } from "./miniflare.ts"

/** Milliseconds. A process that was started again is told within the first, and forgets by the second. */
const every = 2000
const lifetime = 10_000

type Candidate = { script: string; instance: Promise<Instance> }

/** Keeps the processes of some scripts telling what they do. */
export function createTraceSubscription(candidates: () => Iterable<Candidate>) {
  let scripts: ReadonlySet<string> = new Set()
  let timer: NodeJS.Timeout | undefined

  /** One that can't be told is about to end or to start again. */
  async function tell({ script, instance }: Candidate) {
    if (!scripts.has(script)) return
    try {
      await (await instance).follow(lifetime)
    } catch {}
  }

  async function tellAll() {
    await Promise.all([...candidates()].map(tell))
  }

  function stop() {
    clearInterval(timer)
    timer = undefined
  }

  return {
    tell,
    async follow(wanted: Iterable<string>) {
      scripts = new Set(wanted)
      if (scripts.size === 0) return stop()
      timer ??= setInterval(() => void tellAll(), every).unref()
      return tellAll()
    },
    stop,
  }
}
