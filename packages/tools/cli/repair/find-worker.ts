import * as z from "zod"

import { type Account, unlessGone } from "../../deploy/api.ts"

const Traces = z.object({ propagation_policy: z.string().nullish() })

const Worker = z.object({
  id: z.string(),
  name: z.string(),
  created_on: z.string().optional(),
  updated_on: z.string().nullish(),
  deployed_on: z.string().nullish(),
  tags: z.array(z.string()).default([]),
  observability: z.object({ traces: Traces.nullish() }).nullish(),
})

export type FoundWorker = z.infer<typeof Worker>

/** The path takes a name as well as an id (Cloudflare's OpenAPI document, `worker_id` of getWorker). */
export function workerPath(accountId: string, nameOrId: string): string {
  const worker = encodeURIComponent(nameOrId)
  return `/accounts/${encodeURIComponent(accountId)}/workers/workers/${worker}`
}

export async function findWorker(
  { api, accountId }: Account,
  name: string,
): Promise<FoundWorker | undefined> {
  return await unlessGone(api.get(workerPath(accountId, name), Worker))
}

/** The longest page that the OpenAPI document allows. */
const pageSize = 100

/** The oldest first, so that what is made meanwhile moves nothing to a page that was read. */
export async function listWorkers({ api, accountId }: Account) {
  const all: FoundWorker[] = []
  for (let page = 1; ; page += 1) {
    const query = `order_by=created_on&order=asc&page=${page}&per_page=${pageSize}`
    const path = `/accounts/${encodeURIComponent(accountId)}/workers/workers?${query}`
    const found = await api.get(path, z.array(Worker))
    all.push(...found)
    if (found.length < pageSize) return all
  }
}
