import type { WorkerPlace } from "../../deploy/api.ts"
import { openDeployments, withTraffic } from "../../deploy/release/deployments.ts"
import { databaseIdOf } from "../../deploy/version/inputs.ts"
import { openUploads } from "../../deploy/version/uploads.ts"

/** The databases of versions with traffic that are not bound to this one, as in `3f… (DB)`. */
export async function databasesElsewhere(
  worker: WorkerPlace,
  databaseId: string | undefined,
): Promise<string[]> {
  const live = await openDeployments(worker).live()
  const uploads = openUploads(worker)
  const bound = await Promise.all(
    withTraffic(live?.split ?? []).map(async ({ versionId }) => {
      const version = await uploads.find(versionId)
      if (version !== undefined) return version.bindings.filter(({ type }) => type === "d1")
      throw new Error(`Cloudflare does not show version ${versionId}, which serves`)
    }),
  )
  return bound
    .filter((all) => !all.some((one) => databaseIdOf(one) === databaseId))
    .flat()
    .map((one) => `${databaseIdOf(one)} (${one.name})`)
}
