import * as z from "zod"

import type { Api } from "../../provider/api.ts"
import { unlessGone } from "../../provider/gone.ts"

const Traces = z.object({ propagation_policy: z.string().nullish() })

const Worker = z.object({
  id: z.string(),
  created_on: z.string().optional(),
  tags: z.array(z.string()).default([]),
  observability: z.object({ traces: Traces.nullish() }).nullish(),
})

/** The path takes a name as well as an id (Cloudflare's OpenAPI document, `worker_id` of getWorker). */
export function workerPath(accountId: string, nameOrId: string): string {
  const worker = encodeURIComponent(nameOrId)
  return `/accounts/${encodeURIComponent(accountId)}/workers/workers/${worker}`
}

export async function findWorker(
  { api, accountId }: { api: Api; accountId: string },
  name: string,
): Promise<z.infer<typeof Worker> | undefined> {
  return await unlessGone(api.get(workerPath(accountId, name), Worker))
}
