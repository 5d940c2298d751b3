import type Cloudflare from "cloudflare"

/** Responds with its version's id, and under `/rows` with the rows of its database. */
export const source = `export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url)
    if (pathname === "/rows") return Response.json((await env.DB.prepare("SELECT * FROM note").all()).results)
    return new Response(env.VERSION.id, { headers: { greeting: env.GREETING ?? "" } })
  },
}`

export type Upload = {
  workerId: string
  accountId: string
  code?: string
  bindings?: Cloudflare.Workers.Beta.Workers.VersionCreateParams["bindings"]
}

/** The code of a version. */
export function workerOf(code: string) {
  const content_base64 = Buffer.from(code).toString("base64")
  const content_type = "application/javascript+module"
  return {
    main_module: "worker.js",
    modules: [{ name: "worker.js", content_type, content_base64 }],
  }
}

export function uploadVersion(
  client: Cloudflare,
  { workerId, accountId, code = source, bindings = [] }: Upload,
) {
  return client.workers.beta.workers.versions.create(workerId, {
    account_id: accountId,
    ...workerOf(code),
    bindings: [...bindings, { type: "version_metadata", name: "VERSION" }],
    compatibility_date: "2026-08-01",
  })
}

export function createWorker(client: Cloudflare, accountId: string, name: string) {
  return client.workers.beta.workers.create({
    account_id: accountId,
    name,
    logpush: false,
    observability: { enabled: true },
    subdomain: { enabled: false, previews_enabled: false },
    tags: ["stack=test"],
    tail_consumers: [],
  })
}

export function deployVersion(
  client: Cloudflare,
  { accountId, script, versionId }: { accountId: string; script: string; versionId: string },
) {
  return client.workers.scripts.deployments.create(script, {
    account_id: accountId,
    strategy: "percentage",
    versions: [{ version_id: versionId, percentage: 100 }],
  })
}
