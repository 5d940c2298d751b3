import Cloudflare from "cloudflare"

export type PendingCreate = {
  urn: string
  type: string
  /** Inputs that are text; no lookup needs another. */
  inputs: Record<string, string>
}

type Api = { baseUrl: string; token: string }

/**
 * Id of what an interrupted creation made, looked up by its deterministic name; undefined when nothing was
 * made, or when making it again does no harm (idempotent PUTs, immutable versions, the project's own resources).
 */
export async function findCreated(
  { type, inputs }: PendingCreate,
  { baseUrl, token }: Api,
): Promise<string | undefined> {
  const client = new Cloudflare({ baseURL: baseUrl, apiToken: token })
  const text = (key: string) => inputs[key] ?? ""
  const account_id = text("accountId")
  switch (type) {
    case "cloudflare:index/d1Database:D1Database":
      for await (const database of client.d1.database.list({ account_id, name: text("name") })) {
        if (database.name === text("name")) return database.uuid
      }
      return undefined
    case "cloudflare:index/worker:Worker":
      for await (const worker of client.workers.beta.workers.list({ account_id })) {
        if (worker.name === text("name")) return worker.id
      }
      return undefined
    case "cloudflare:index/workersRoute:WorkersRoute":
      for await (const route of client.workers.routes.list({ zone_id: text("zoneId") })) {
        if (route.pattern === text("pattern")) return route.id
      }
      return undefined
    default:
      return undefined
  }
}
