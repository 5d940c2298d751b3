import Cloudflare from "cloudflare"

type Account = { api: string; token: string; accountId: string }

/** Names of an account's resources, read with the official SDK so that no code of this project is trusted. */
export async function accountContents({ api, token, accountId }: Account) {
  const client = new Cloudflare({ baseURL: api, apiToken: token })
  const account_id = accountId
  const zones = await Array.fromAsync(client.zones.list())
  const routes = await Promise.all(
    zones.map(({ id }) => Array.fromAsync(client.workers.routes.list({ zone_id: id }))),
  )
  return {
    databases: (await Array.fromAsync(client.d1.database.list({ account_id }))).map(
      ({ name }) => name,
    ),
    workers: (await Array.fromAsync(client.workers.beta.workers.list({ account_id }))).map(
      ({ name }) => name,
    ),
    domains: (await Array.fromAsync(client.workers.domains.list({ account_id }))).map(
      ({ hostname }) => hostname,
    ),
    routes: routes.flat().map(({ pattern }) => pattern),
  }
}

export const emptyAccount = { databases: [], workers: [], domains: [], routes: [] }

/** Deletes a Worker by its name, as somebody would at the dashboard. */
export async function deleteWorker(
  { api, token, accountId }: Account,
  name: string,
): Promise<void> {
  const { workers } = new Cloudflare({ baseURL: api, apiToken: token })
  for await (const worker of workers.beta.workers.list({ account_id: accountId })) {
    if (worker.name !== name) continue
    await workers.beta.workers.delete(worker.id, { account_id: accountId })
  }
}
