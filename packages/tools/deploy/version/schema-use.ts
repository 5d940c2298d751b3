import * as z from "zod"

import type { WorkerPlace } from "../api.ts"
import { openDeployments, withTraffic } from "../release/deployments.ts"
import { type FoundVersion, openUploads } from "./uploads.ts"

/** The binding that lists the tables and columns that a version uses. Any machine can read it. */
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

/** Returns the text of the binding. @throws Error when it is too long for Cloudflare */
export function writeSchemaUse(use: SchemaUse): string {
  const text = JSON.stringify(use)
  const bytes = Buffer.byteLength(text)
  if (bytes <= limit) return text
  throw new Error(
    `${schemaUseBinding} has ${bytes} bytes of names of tables and columns, and Cloudflare takes ${limit} in a variable: put it into two`,
  )
}

/** Returns undefined if the text is not a valid schema use. */
export function parseSchemaUse(text: unknown): SchemaUse | undefined {
  try {
    return SchemaUse.safeParse(JSON.parse(String(text))).data
  } catch {
    return undefined
  }
}

/** Returns undefined for a version that is older than this binding, or of another tool. */
export function readSchemaUse({ bindings }: FoundVersion): SchemaUse | undefined {
  return parseSchemaUse(bindings.find(({ name }) => name === schemaUseBinding)?.["text"])
}

/** A version's use of the schema; `use` is undefined if the version lacks the binding. */
type VersionUse = { versionId: string; percentage: number; use: SchemaUse | undefined }

export type LiveUses = {
  /** The versions with traffic. */
  live: VersionUse[]
  /** The version that last had traffic before them: `wrangler rollback` returns to it. */
  former: VersionUse | undefined
}

/** Reads the uses from Cloudflare, so that it works on any machine. Empty if the Worker does not exist. */
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
