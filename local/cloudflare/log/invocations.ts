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

/** The last invocations, in memory. */
export function createInvocations(options: {
  /** Share of the script's requests that are logged. */
  samplingOf: (script: string) => number
  /** Milliseconds of processor time that a version has taken so far. */
  processorTimeOf: (versionId: string) => number
}) {
  const kept: Invocation[] = []
  /** By version, once somebody has asked: it takes a look at the process. */
  let seen: Map<string, number> | undefined

  return {
    /** Counts what runs at once for what ends first. */
    record({ versionId, ...invocation }: Omit<Invocation, "cpuMs" | "sampleInterval">) {
      const now = seen === undefined ? 0 : options.processorTimeOf(versionId)
      const cpuMs = Math.max(0, now - (seen?.get(versionId) ?? now))
      seen?.set(versionId, now)
      const sampling = options.samplingOf(invocation.script)
      if (Math.random() >= sampling) return
      kept.push({ ...invocation, versionId, cpuMs, sampleInterval: 1 / sampling })
      if (kept.length > limit) kept.shift()
    },
    between(from: number, to: number): Invocation[] {
      seen ??= new Map()
      return kept.filter(({ at }) => at >= from && at <= to)
    },
  }
}
