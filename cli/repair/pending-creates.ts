import * as z from "zod"

import type { Api } from "../../provider/api.ts"
import { openDatabase } from "../../provider/migrations/database.ts"
import { listRoutes } from "../../provider/release/routes.ts"
import { findDatabase } from "../database/d1-account.ts"
import { findWorker, workerPath } from "./find-worker.ts"

type PendingCreate = { type: string; inputs: Record<string, unknown> }

/** What has the name of a resource whose creation was interrupted. */
export type Created = {
  /** Cloudflare's own id of it. */
  id: string
  /** What the engine imports it by. */
  importId: string
  /** As in `database accounts-staging (3f…)`. */
  label: string
  /** What the name is by which it was found; undefined for what only leads to the stack's own Worker. */
  name?: string
  /** Why the interrupted run may not have made it; undefined if nothing speaks against it. */
  doubt: string | undefined
}

/**
 * Between what Cloudflare says of a creation and what the run last saved of its state: the request,
 * Cloudflare's rate limit of five minutes, and two clocks.
 */
const longestMinutes = 15

const Versions = z.array(z.unknown())

/**
 * Finds a resource that an interrupted run may have created, by its deterministic name. Undefined if
 * it does not exist, or if it is safe to create again: idempotent PUTs, immutable versions, the
 * project's own resources.
 * @param savedAt when the interrupted run last saved its state
 */
export async function findCreated(
  { type, inputs }: PendingCreate,
  { api, savedAt }: { api: Api; savedAt: string | undefined },
): Promise<Created | undefined> {
  const text = (key: string) => z.string().catch("").parse(inputs[key])
  const accountId = text("accountId")
  const account = { api, accountId }
  const name = text("name")
  switch (type) {
    case "cloudflare:index/d1Database:D1Database": {
      const found = await findDatabase(account, name)
      if (!found) return undefined
      const { uuid: id, created_at: made } = found
      const doubt = (await usedTables(account, id)) ?? doubtOfTime(made, savedAt)
      return { id, importId: `${accountId}/${id}`, label: `database ${name} (${id})`, name, doubt }
    }
    case "cloudflare:index/worker:Worker": {
      const found = await findWorker(account, name)
      if (!found) return undefined
      const { id, created_on: made } = found
      const doubt = (await usedVersions(account, id)) ?? doubtOfTime(made, savedAt)
      return { id, importId: `${accountId}/${id}`, label: `Worker ${name} (${id})`, name, doubt }
    }
    case "cloudflare:index/workersRoute:WorkersRoute": {
      const zone = text("zoneId")
      const routes = await listRoutes(api, zone)
      // One that leads elsewhere is somebody else's, and Cloudflare refuses a second of its pattern.
      const route = routes.find(
        ({ pattern, script }) => pattern === text("pattern") && script === text("script"),
      )
      if (!route) return undefined
      const { id, pattern } = route
      return { id, importId: `${zone}/${id}`, label: `route ${pattern} (${id})`, doubt: undefined }
    }
    default:
      return undefined
  }
}

type Account = { api: Api; accountId: string }

/** Tables come only after the creation of the database has ended. */
async function usedTables(account: Account, databaseId: string): Promise<string | undefined> {
  const objects = await openDatabase({ ...account, databaseId }).objects()
  const table = objects.find(({ type }) => type === "table")
  return table && `it has tables already, such as ${table.name}`
}

/** So do versions after that of the Worker. */
async function usedVersions({ api, accountId }: Account, id: string): Promise<string | undefined> {
  const versions = await api.get(`${workerPath(accountId, id)}/versions?per_page=1`, Versions)
  return versions.length > 0 ? "it has a version already" : undefined
}

function doubtOfTime(created: string | undefined, saved: string | undefined): string | undefined {
  const minutes = Math.abs(Date.parse(created ?? "") - Date.parse(saved ?? "")) / 60_000
  if (minutes <= longestMinutes) return undefined
  return `it was created at ${created ?? "an unknown time"}, and the run was interrupted after ${saved ?? "an unknown time"}`
}
