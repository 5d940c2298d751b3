import * as z from "zod"

import type { Api } from "../api.ts"
import { unlessGone } from "../gone.ts"

const Subdomain = z.object({ subdomain: z.string().nullish() })

/** What is wrong with a host of workers.dev; undefined if it is the Worker's own. */
export async function subdomainProblem(
  api: Api,
  { accountId, scriptName, hostname }: { accountId: string; scriptName: string; hostname: string },
): Promise<string | undefined> {
  const subdomain = await readSubdomain(api, accountId)
  if (subdomain === undefined) {
    return "the account has no subdomain of workers.dev: register one in the dashboard, under Workers & Pages, and write it into accounts:apiOrigin"
  }
  const own = `${scriptName}.${subdomain}.workers.dev`
  if (hostname === own) return undefined
  return `the account's subdomain is ${subdomain}: write https://${own} as accounts:apiOrigin`
}

/** The account's name under workers.dev; undefined if it has none yet. */
export async function readSubdomain(api: Api, accountId: string): Promise<string | undefined> {
  const path = `/accounts/${encodeURIComponent(accountId)}/workers/subdomain`
  const found = await unlessGone(api.get(path, Subdomain))
  return found?.subdomain || undefined
}
