import { physicalName } from "../../infra/environment/environment.ts"
import { readStackFile } from "../../infra/environment/stack-file.ts"

export type Api = { baseUrl: string; token: string }

/**
 * What the account still has of a stack that was destroyed, by name: database, Worker, hosts and
 * routes. The exit code of a deletion alone proves nothing.
 */
export async function findLeftovers(
  stack: string,
  { stackFile, api }: { stackFile: string; api: Api },
): Promise<string[]> {
  const { environment } = readStackFile({ path: stackFile, name: stack })
  const { accountId: account_id, zone, zoneId } = environment
  const name = physicalName(stack, environment)
  const { default: Cloudflare } = await import("cloudflare")
  const client = new Cloudflare({ baseURL: api.baseUrl, apiToken: api.token })
  const left: string[] = []
  for await (const database of client.d1.database.list({ account_id, name })) {
    if (database.name === name) left.push(`database ${name} (${database.uuid})`)
  }
  for await (const worker of client.workers.beta.workers.list({ account_id })) {
    if (worker.name === name) left.push(`Worker ${name}`)
  }
  for await (const domain of client.workers.domains.list({ account_id })) {
    if (domain.service === name) left.push(`host ${domain.hostname}`)
  }
  if (zone === undefined) return left
  // A token that needs the zone's id in the stack file may not look zones up.
  const zones = zoneId === undefined ? [] : [zoneId]
  if (zoneId === undefined) {
    for await (const { id } of client.zones.list({ name: zone, account: { id: account_id } })) {
      zones.push(id)
    }
  }
  for (const zone_id of zones) {
    for await (const route of client.workers.routes.list({ zone_id })) {
      if (route.script === name) left.push(`route ${route.pattern}`)
    }
  }
  return left
}
