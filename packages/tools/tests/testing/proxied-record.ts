import * as z from "zod"

import { callAccount, listAccount } from "./call-account.ts"

/** Makes a proxied DNS record in the zone `accounts.test`, as an operator would beside any stack. */
export async function createProxiedRecord(
  account: { api: string; token: string },
  name: string,
): Promise<void> {
  const Zone = z.object({ id: z.string() })
  const [zone] = await listAccount(account, "/zones?name=accounts.test", Zone)
  const body = { type: "AAAA", name, content: "100::", proxied: true, ttl: 1 }
  const path = `/zones/${zone?.id}/dns_records`
  await callAccount(account, { method: "POST", path, body }, z.unknown())
}
