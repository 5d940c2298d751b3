import { load } from "../app/load.ts"
import { childCalled } from "../app/processor.ts"
import { openAlone } from "./alone.ts"
import type { Fleet } from "./fleet.ts"
import { usageOf } from "./usage.ts"

/** Resident bytes after so many requests, each of one query. */
export type Moment = {
  requests: number
  main: number
  storage: number
  version: number
  /** Of workerd alone after as many; undefined where nobody tells. */
  alone: number | undefined
}

type SteadyOptions = { requests: number; every: number; onMoment: (line: string) => void }

/** Sends queries to `fleet` and to workerd alone in turn, and looks at memory in between. */
export async function measureSteady(
  fleet: Fleet,
  { requests, every, onMoment }: SteadyOptions,
): Promise<Moment[]> {
  await using alone = await openAlone()
  const alonePid = childCalled("workerd")
  const { host } = fleet.first()
  const { main, storage, versions } = await fleet.processes()
  const [version = main] = versions
  const resident = (pid: number) => usageOf(pid).residentBytes
  const look = (at: number): Moment => ({
    requests: at,
    main: resident(main),
    storage: resident(storage),
    version: resident(version),
    alone: alonePid === undefined ? undefined : resident(alonePid),
  })
  const moments = [look(0)]
  const unmeasured = { requests: every, processorTime: () => undefined }
  const query = { method: "GET" as const, connections: 16 }
  for (let sent = every; sent <= requests; sent += every) {
    await load({ ...query, url: `${fleet.cloudflare.edge}/query`, headers: { host } }, unmeasured)
    await load({ ...query, url: `${alone.address}/query`, headers: {} }, unmeasured)
    const moment = look(sent)
    moments.push(moment)
    onMoment(`${sent} requests: ${JSON.stringify(moment)}`)
  }
  return moments
}
