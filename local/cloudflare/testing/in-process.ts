import { temporaryDirectory } from "../../daemon/testing/temporary-directory.ts"

/** The parts of a local Cloudflare that its clients need. */
export type LocalCloudflareHere = Awaited<ReturnType<typeof localCloudflareHere>>

/**
 * The control plane with an empty state and real workerd, in this process: most of what a start
 * takes is loading it, which a process needs only once. A test that stops or kills it, or whose own
 * code blocks this process, takes `localCloudflare`.
 */
export async function localCloudflareHere() {
  const { startServer } = await import("../server.ts")
  const directory = await temporaryDirectory()
  const server = await startServer({
    directory: directory.path,
    apiPort: 0,
    port: 0,
    https: { port: 0, required: false },
    onLog: () => {},
  }).catch(async (error: unknown) => {
    await directory[Symbol.asyncDispose]()
    throw error
  })
  const { api, edge, edgeTls, accountId } = server.endpoint
  const { token } = server

  return {
    directory: directory.path,
    token: async () => token,
    api,
    edge,
    edgeTls,
    accountId,
    async client() {
      // The SDK takes half a second to load, which most callers need not spend.
      const { default: Cloudflare } = await import("cloudflare")
      return new Cloudflare({ apiToken: token, baseURL: api, maxRetries: 0 })
    },
    /** For requests that no SDK would send. */
    async request(path: string, init: RequestInit = {}) {
      const headers = new Headers(init.headers)
      if (!headers.has("authorization")) headers.set("authorization", `Bearer ${token}`)
      return fetch(`${api}${path}`, { ...init, headers })
    },
    async [Symbol.asyncDispose]() {
      await server.close()
      await directory[Symbol.asyncDispose]()
    },
  }
}
