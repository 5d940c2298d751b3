import type { Api } from "../../provider/api.ts"
import { openDeployments, withTraffic } from "../../provider/release/deployments.ts"
import { databaseIdOf } from "../../provider/version/binding.ts"
import { openUploads } from "../../provider/version/uploads.ts"

/** The databases that the versions of a Worker with traffic are bound to. */
export async function servedDatabases(
  api: Api,
  { accountId, scriptName }: { accountId: string; scriptName: string },
): Promise<{ id: string; binding: string }[]> {
  const worker = { api, accountId, scriptName }
  const live = await openDeployments(worker).live()
  const uploads = openUploads(worker)
  const found = await Promise.all(
    withTraffic(live?.split ?? []).map(async ({ versionId }) => {
      const version = await uploads.find(versionId)
      if (version !== undefined) return version.bindings
      throw new Error(`Cloudflare does not show version ${versionId}, which serves`)
    }),
  )
  return found
    .flat()
    .filter(({ type }) => type === "d1")
    .map((binding) => ({ id: databaseIdOf(binding) ?? "", binding: binding.name }))
}
