import * as z from "zod"

import { isFailure } from "../../failure.ts"
import type { Api } from "../../provider/api.ts"

const Worker = z.object({ id: z.string(), created_on: z.string().optional() })

/** Cloudflare's code; a 404 with another code means that the request went to the wrong host. */
const noSuchWorker = 10_007

/** The path takes a name as well as an id (Cloudflare's OpenAPI document, `worker_id` of getWorker). */
export async function findWorker(
  { api, accountId }: { api: Api; accountId: string },
  name: string,
): Promise<z.infer<typeof Worker> | undefined> {
  const worker = `/workers/workers/${encodeURIComponent(name)}`
  try {
    return await api.get(`/accounts/${encodeURIComponent(accountId)}${worker}`, Worker)
  } catch (error) {
    if (isFailure(error, "API_FAILED") && error.facts.code === noSuchWorker) return undefined
    throw error
  }
}
