/** One request to a Worker, as Workers Logs keep it. */
export type Invocation = {
  /** Milliseconds since 1970. */
  at: number
  script: string
  versionId: string
  path: string
  status: number
  outcome: "ok" | "exception" | "canceled"
  cpuMs: number
  /** How many requests it stands for: logs may be sampled. */
  sampleInterval: number
}

export type Invocations = ReturnType<typeof createInvocations>

const limit = 100_000
/** Milliseconds for which a query keeps processor time measured. */
const measured = 10 * 60_000

/** The last invocations, in memory. */
export function createInvocations(options: {
  /** Share of the script's requests that are logged. */
  samplingOf: (script: string) => number
  /** Milliseconds of processor time that a version has taken so far. */
  processorTimeOf: (versionId: string) => number
}) {
  const kept: Invocation[] = []
  const seen = new Map<string, number>()
  let measuredUntil = 0

  /** Looks at the process, so only while somebody asks. What runs at once is counted for what ends first. */
  function cpuSince(versionId: string): number {
    if (Date.now() > measuredUntil) return 0
    const now = options.processorTimeOf(versionId)
    const before = seen.get(versionId) ?? now
    seen.set(versionId, now)
    return Math.max(0, now - before)
  }

  return {
    record(invocation: Omit<Invocation, "cpuMs" | "sampleInterval">) {
      const cpuMs = cpuSince(invocation.versionId)
      const sampling = options.samplingOf(invocation.script)
      if (Math.random() >= sampling) return
      kept.push({ ...invocation, cpuMs, sampleInterval: 1 / sampling })
      if (kept.length > limit) kept.shift()
    },
    between(from: number, to: number): Invocation[] {
      if (Date.now() > measuredUntil) seen.clear()
      measuredUntil = Date.now() + measured
      return kept.filter(({ at }) => at >= from && at <= to)
    },
  }
}
