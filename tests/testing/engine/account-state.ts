import * as z from "zod"

type Ask = (path: string) => Promise<unknown>

const Database = z.array(z.looseObject({ uuid: z.string() }))
const Worker = z.looseObject({ id: z.string(), name: z.string() })

/** All that an account holds, as Cloudflare's API shows it. */
export async function accountState(ask: Ask, zoneId: string) {
  const databases = Database.parse(await ask("/d1/database"))
  const workers = z.array(Worker).parse(await ask("/workers/workers"))
  return {
    databases: await Promise.all(databases.map(({ uuid }) => ask(`/d1/database/${uuid}`))),
    workers: await Promise.all(workers.map((worker) => workerState(ask, worker))),
    domains: await ask("/workers/domains"),
    routes: await ask(`/zones/${zoneId}/workers/routes`),
  }
}

async function workerState(ask: Ask, worker: z.infer<typeof Worker>) {
  return {
    ...worker,
    versions: await ask(`/workers/workers/${worker.id}/versions`),
    deployments: await ask(`/workers/scripts/${worker.name}/deployments`),
    schedules: await ask(`/workers/scripts/${worker.name}/schedules`),
  }
}
