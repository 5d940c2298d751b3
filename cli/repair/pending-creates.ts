type PendingCreate = { type: string; inputs: Record<string, unknown> }

type Api = { baseUrl: string; token: string }

/**
 * Finds a resource that an interrupted run may have created, by its deterministic name, and returns
 * the id to import it by. Undefined if it does not exist, or if it is safe to create again:
 * idempotent PUTs, immutable versions, the project's own resources.
 */
export async function findCreated(
  { type, inputs }: PendingCreate,
  { baseUrl, token }: Api,
): Promise<string | undefined> {
  // Loaded only when a stack has pending creations: the SDK is large.
  const { default: Cloudflare } = await import("cloudflare")
  const client = new Cloudflare({ baseURL: baseUrl, apiToken: token })
  const text = (key: string) => {
    const { [key]: value } = inputs
    return typeof value === "string" ? value : ""
  }
  const account_id = text("accountId")
  switch (type) {
    case "cloudflare:index/d1Database:D1Database":
      for await (const database of client.d1.database.list({ account_id, name: text("name") })) {
        if (database.name === text("name")) return `${account_id}/${database.uuid}`
      }
      return undefined
    case "cloudflare:index/worker:Worker":
      for await (const worker of client.workers.beta.workers.list({ account_id })) {
        if (worker.name === text("name")) return `${account_id}/${worker.id}`
      }
      return undefined
    case "cloudflare:index/workersRoute:WorkersRoute":
      for await (const route of client.workers.routes.list({ zone_id: text("zoneId") })) {
        if (route.pattern === text("pattern")) return `${text("zoneId")}/${route.id}`
      }
      return undefined
    default:
      return undefined
  }
}
