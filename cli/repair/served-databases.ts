import * as z from "zod"

import type { Api } from "../../provider/api.ts"
import { openDeployments, withTraffic } from "../../provider/release/deployments.ts"

const Version = z.object({
  resources: z.object({
    bindings: z
      .array(
        z.object({
          type: z.string(),
          name: z.string(),
          // The former name of `database_id`, by Cloudflare's OpenAPI document.
          id: z.string().optional(),
          database_id: z.string().optional(),
        }),
      )
      .default([]),
  }),
})

/** The databases that the versions of a Worker with traffic are bound to. */
export async function servedDatabases(
  api: Api,
  { accountId, scriptName }: { accountId: string; scriptName: string },
): Promise<{ id: string; binding: string }[]> {
  const live = await openDeployments({ api, accountId, scriptName }).live()
  const script = `/accounts/${encodeURIComponent(accountId)}/workers/scripts/${encodeURIComponent(scriptName)}`
  const versions = await Promise.all(
    withTraffic(live?.split ?? []).map(({ versionId }) =>
      api.get(`${script}/versions/${encodeURIComponent(versionId)}`, Version),
    ),
  )
  return versions
    .flatMap(({ resources }) => resources.bindings)
    .filter(({ type }) => type === "d1")
    .map(({ name, id, database_id: databaseId }) => ({ id: databaseId ?? id ?? "", binding: name }))
}
