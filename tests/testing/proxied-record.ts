import Cloudflare from "cloudflare"

/** Makes a proxied DNS record in the zone `accounts.test`, as an operator would beside any stack. */
export async function createProxiedRecord(
  { api, token }: { api: string; token: string },
  name: string,
): Promise<void> {
  const client = new Cloudflare({ baseURL: api, apiToken: token })
  const [zone] = (await client.zones.list({ name: "accounts.test" })).result
  const record = { type: "AAAA", name, content: "100::", proxied: true, ttl: 1 } as const
  await client.dns.records.create({ zone_id: zone?.id ?? "", ...record })
}
