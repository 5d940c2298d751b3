import autocannon from "autocannon"

import type { ProcessorTime } from "./processor-time.ts"

export type Call = {
  url: string
  method?: "GET" | "POST"
  headers: Record<string, string>
  body?: string
  connections: number
}

export type Round = {
  perSecond: number
  /** Milliseconds of each request. */
  times: number[]
  /** Milliseconds of processor time per request. */
  processor: number | undefined
}

type LoadOptions = { requests: number; processorTime: ProcessorTime }

/**
 * Keeps a fixed number of connections busy until all requests are answered.
 * @throws Error if a request fails or is answered with another status than 200
 */
export async function load(call: Call, { requests, processorTime }: LoadOptions): Promise<Round> {
  const times: number[] = []
  const rejected = new Map<number, number>()
  const busy = processorTime()
  const began = performance.now()
  let end = began
  const { errors } = await new Promise<autocannon.Result>((resolve, reject) => {
    const run = autocannon(
      {
        ...call,
        // A zone's Browser Integrity Check refuses clients without a name.
        headers: { "user-agent": "accounts-bench", ...call.headers },
        idReplacement: call.body !== undefined,
        amount: requests,
        timeout: 60,
      },
      (error, result) => (error ? reject(error) : resolve(result)),
    )
    run.on("response", (_client, status, _bytes, milliseconds) => {
      end = performance.now()
      times.push(milliseconds)
      if (status !== 200) rejected.set(status, (rejected.get(status) ?? 0) + 1)
    })
  })
  const used = processorTime()
  if (rejected.size > 0 || errors > 0) {
    const statuses = [...rejected].map(([status, count]) => `${count} times ${status}`)
    throw new Error(`${call.url}: ${[...statuses, `${errors} errors`].join(", ")}`)
  }
  return {
    perSecond: times.length / ((end - began) / 1000),
    times,
    processor: busy === undefined || used === undefined ? undefined : (used - busy) / times.length,
  }
}
