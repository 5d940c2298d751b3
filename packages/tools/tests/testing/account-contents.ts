import * as z from "zod"

import { callAccount, listAccount } from "./call-account.ts"

type Account = { api: string; token: string; accountId: string }

const Named = z.object({ name: z.string() })
const Identified = z.object({ id: z.string() })

/** Names of an account's resources, read without any code of this project. */
export async function accountContents(account: Account) {
  const of = `/accounts/${account.accountId}`
  const zones = await listAccount(account, "/zones", Identified)
  const Route = z.object({ pattern: z.string() })
  const routes = await Promise.all(
    zones.map(({ id }) => listAccount(account, `/zones/${id}/workers/routes`, Route)),
  )
  const databases = await listAccount(account, `${of}/d1/database`, Named)
  const workers = await listAccount(account, `${of}/workers/workers`, Named)
  const Domain = z.object({ hostname: z.string() })
  const domains = await listAccount(account, `${of}/workers/domains`, Domain)
  return {
    databases: databases.map(({ name }) => name),
    workers: workers.map(({ name }) => name),
    domains: domains.map(({ hostname }) => hostname),
    routes: routes.flat().map(({ pattern }) => pattern),
  }
}

export const emptyAccount = { databases: [], workers: [], domains: [], routes: [] }

const Owned = z.object({ id: z.string().optional(), uuid: z.string().optional(), name: z.string() })

/** Deletes a resource by its name, as in the dashboard. */
export async function deleteByHand(
  account: Account,
  kind: "d1/database" | "workers/workers",
  name: string,
): Promise<void> {
  const path = `/accounts/${account.accountId}/${kind}`
  for (const resource of await listAccount(account, path, Owned)) {
    if (resource.name !== name) continue
    const deletion = { method: "DELETE", path: `${path}/${resource.uuid ?? resource.id}` } as const
    await callAccount(account, deletion, z.unknown())
  }
}
