import * as z from "zod"

import { physicalName } from "../../infra/environment/environment.ts"
import { readStackFile } from "../../infra/environment/stack-file.ts"
import type { Api } from "../../provider/api.ts"
import { lookUpZone } from "../../provider/release/host-zone.ts"
import { listRoutes } from "../../provider/release/routes.ts"
import { findDatabase } from "../database/d1-account.ts"
import { findWorker } from "./find-worker.ts"

const Domains = z.array(z.object({ hostname: z.string(), service: z.string() }))

/**
 * What the account still has of a stack that was destroyed, by name: database, Worker, hosts and
 * routes. The exit code of a deletion alone proves nothing, and neither does an answer that is no list.
 */
export async function findLeftovers(
  stack: string,
  { stackFile, api }: { stackFile: string; api: Api },
): Promise<string[]> {
  const { environment } = readStackFile({ path: stackFile, name: stack })
  const { accountId, zone, zoneId } = environment
  const account = { api, accountId }
  const name = physicalName(stack, environment)
  const [database, worker, domains, routes] = await Promise.all([
    findDatabase(account, name),
    findWorker(account, name),
    api.get(`/accounts/${encodeURIComponent(accountId)}/workers/domains`, Domains),
    zone === undefined ? [] : routesOf(account, { zone, zoneId }),
  ])
  return [
    ...(database ? [`database ${name} (${database.uuid})`] : []),
    ...(worker ? [`Worker ${name}`] : []),
    ...domains.filter(({ service }) => service === name).map(({ hostname }) => `host ${hostname}`),
    ...routes.filter(({ script }) => script === name).map(({ pattern }) => `route ${pattern}`),
  ]
}

type Account = { api: Api; accountId: string }
type Zone = { zone: string; zoneId: string | undefined }

/** A token that needs the zone's id in the stack file may not look zones up. A zone that is gone has no routes. */
async function routesOf({ api, accountId }: Account, { zone, zoneId }: Zone) {
  const id = zoneId ?? (await lookUpZone(api, { accountId, zone }))
  return id === undefined ? [] : await listRoutes(api, id)
}
