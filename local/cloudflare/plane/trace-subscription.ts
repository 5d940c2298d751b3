import type { Instance } from "./miniflare/miniflare.ts"

/** Milliseconds between renewals; a restarted process is subscribed again by the next one. */
const renewalInterval = 2000
/** Milliseconds after which a process stops sending traces, unless renewed. */
const lifetime = 10_000

type Candidate = { script: string; instance: Promise<Instance> }

export function createTraceSubscription(candidates: () => Iterable<Candidate>) {
  let scripts: ReadonlySet<string> = new Set()
  let timer: NodeJS.Timeout | undefined

  /** Ignores errors: the process is about to exit or to restart. */
  async function renew({ script, instance }: Candidate) {
    if (!scripts.has(script)) return
    try {
      await (await instance).sendTraces(lifetime)
    } catch {}
  }

  async function renewAll() {
    await Promise.all([...candidates()].map(renew))
  }

  function stop() {
    clearInterval(timer)
    timer = undefined
  }

  return {
    renew,
    async follow(wanted: Iterable<string>) {
      scripts = new Set(wanted)
      if (scripts.size === 0) return stop()
      timer ??= setInterval(() => void renewAll(), renewalInterval).unref()
      return renewAll()
    },
    stop,
  }
}
