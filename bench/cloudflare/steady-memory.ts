import { load } from "../app/load.ts"
import { findChild } from "../app/processor-time.ts"
import type { Fleet } from "./fleet.ts"
import { usageOf } from "./process-usage.ts"
import { openWorkerdAlone } from "./workerd-alone.ts"

/** Resident bytes after a number of requests, each with one query. */
export type MemorySample = {
  requests: number
  main: number
  storage: number
  version: number
  /** Of workerd alone after as many; undefined without `/proc`. */
  alone: number | undefined
}

type SteadyOptions = { requests: number; every: number; onSample: (line: string) => void }

/** Sends queries to `fleet` and to workerd alone in turn, and samples memory after every `every` requests. */
export async function measureSteadyMemory(
  fleet: Fleet,
  { requests, every, onSample }: SteadyOptions,
): Promise<MemorySample[]> {
  await using alone = await openWorkerdAlone()
  const alonePid = findChild("workerd")
  const { host } = fleet.first()
  const { main, storage, versions } = await fleet.processes()
  const [version = main] = versions
  const resident = (pid: number) => usageOf(pid).residentBytes
  const sample = (at: number): MemorySample => ({
    requests: at,
    main: resident(main),
    storage: resident(storage),
    version: resident(version),
    alone: alonePid === undefined ? undefined : resident(alonePid),
  })
  const samples = [sample(0)]
  const unmeasured = { requests: every, processorTime: () => undefined }
  const query = { method: "GET" as const, connections: 16 }
  for (let sent = every; sent <= requests; sent += every) {
    await load({ ...query, url: `${fleet.cloudflare.edge}/query`, headers: { host } }, unmeasured)
    await load({ ...query, url: `${alone.address}/query`, headers: {} }, unmeasured)
    const latest = sample(sent)
    samples.push(latest)
    onSample(`${sent} requests: ${JSON.stringify(latest)}`)
  }
  return samples
}
