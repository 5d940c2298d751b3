import * as z from "zod"

import type { WorkerPlace } from "../api.ts"
import { openDeployments, withTraffic } from "../release/deployments.ts"
import { type FoundVersion, openUploads } from "./uploads.ts"

/** The binding in which a version says what it uses of its database; any machine can read it. */
export const schemaUseBinding = "SCHEMA_USE"

/** Names of columns by table. */
export const SchemaUse = z.strictObject({
  /** The newest migration that the version was built with. */
  head: z.string().min(1),
  tables: z.record(z.string(), z.array(z.string())),
})
export type SchemaUse = z.infer<typeof SchemaUse>

/** Bytes: https://developers.cloudflare.com/workers/platform/limits/#environment-variables. */
const limit = 5 * 1024

/** The text of the binding. @throws Error when Cloudflare would not take it */
export function writeSchemaUse(use: SchemaUse): string {
  const text = JSON.stringify(use)
  const bytes = Buffer.byteLength(text)
  if (bytes <= limit) return text
  throw new Error(
    `${schemaUseBinding} has ${bytes} bytes of names of tables and columns, and Cloudflare takes ${limit} in a variable: put it into two`,
  )
}

/** Undefined for what is no such text. */
export function parseSchemaUse(text: unknown): SchemaUse | undefined {
  try {
    return SchemaUse.safeParse(JSON.parse(String(text))).data
  } catch {
    return undefined
  }
}

/** Undefined for a version from before the record, or of another tool. */
export function readSchemaUse({ bindings }: FoundVersion): SchemaUse | undefined {
  return parseSchemaUse(bindings.find(({ name }) => name === schemaUseBinding)?.["text"])
}

/** A version's use of the schema; undefined if the version does not tell. */
type VersionUse = { versionId: string; percentage: number; use: SchemaUse | undefined }

export type LiveUses = {
  /** The versions with traffic. */
  live: VersionUse[]
  /** The version that had traffic before them: `wrangler rollback` goes there. */
  former: VersionUse | undefined
}

/** Reads the uses from Cloudflare, so that any machine can tell. Empty for a Worker that does not exist. */
export async function readLiveUses(worker: WorkerPlace): Promise<LiveUses> {
  const uploads = openUploads(worker)
  const [live, ...before] = await openDeployments(worker).list()
  const split = withTraffic(live?.split ?? [])
  const previousPart = before
    .flatMap((deployment) => withTraffic(deployment.split))
    .find(({ versionId }) => split.every((part) => part.versionId !== versionId))
  const read = async ({ versionId, percentage }: Omit<VersionUse, "use">) => {
    const upload = await uploads.find(versionId)
    return { versionId, percentage, use: upload && readSchemaUse(upload) }
  }
  return {
    live: await Promise.all(split.map(read)),
    former: previousPart && (await read({ ...previousPart, percentage: 0 })),
  }
}
