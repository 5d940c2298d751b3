import Cloudflare from "cloudflare"

/** Names of an account's resources, read with the official SDK so that no code of this project is trusted. */
export async function accountContents({
  api,
  token,
  accountId,
}: {
  api: string
  token: string
  accountId: string
}) {
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
