import * as z from "zod"

type ReadPath = (path: string) => Promise<unknown>

const Database = z.array(z.looseObject({ uuid: z.string() }))
const Worker = z.looseObject({ id: z.string(), name: z.string() })

/** The complete resources of an account, as Cloudflare's API returns them. */
export async function readAccountSnapshot(readPath: ReadPath, zoneId: string) {
  const databases = Database.parse(await readPath("/d1/database"))
  const workers = z.array(Worker).parse(await readPath("/workers/workers"))
  return {
    databases: await Promise.all(databases.map(({ uuid }) => readPath(`/d1/database/${uuid}`))),
    workers: await Promise.all(workers.map((worker) => readWorkerSnapshot(readPath, worker))),
    domains: await readPath("/workers/domains"),
    routes: await readPath(`/zones/${zoneId}/workers/routes`),
  }
}

async function readWorkerSnapshot(readPath: ReadPath, worker: z.infer<typeof Worker>) {
  return {
    ...worker,
    versions: await readPath(`/workers/workers/${worker.id}/versions`),
    deployments: await readPath(`/workers/scripts/${worker.name}/deployments`),
    schedules: await readPath(`/workers/scripts/${worker.name}/schedules`),
  }
}
