import type { WorkerPlace } from "../api.ts"
import { openDeployments, withTraffic } from "../release/deployments.ts"
import { readSchemaUse, type SchemaUse } from "./schema-use.ts"
import { openUploads } from "./uploads.ts"

/** What a version uses of the schema; undefined where it does not say so. */
type VersionUse = { versionId: string; percentage: number; use: SchemaUse | undefined }

export type LiveUses = {
  /** The versions with traffic. */
  live: VersionUse[]
  /** The version that had traffic before them: `wrangler rollback` goes there. */
  former: VersionUse | undefined
}

/** By what Cloudflare says, so that any machine can tell. Empty for a Worker that does not exist. */
export async function readLiveUses(worker: WorkerPlace): Promise<LiveUses> {
  const uploads = openUploads(worker)
  const [live, ...before] = await openDeployments(worker).list()
  const split = withTraffic(live?.split ?? [])
  const former = before
    .flatMap((deployment) => withTraffic(deployment.split))
    .find(({ versionId }) => split.every((part) => part.versionId !== versionId))
  const read = async ({ versionId, percentage }: Omit<VersionUse, "use">) => {
    const found = await uploads.find(versionId)
    return { versionId, percentage, use: found && readSchemaUse(found) }
  }
  return {
    live: await Promise.all(split.map(read)),
    former: former && (await read({ ...former, percentage: 0 })),
  }
}
