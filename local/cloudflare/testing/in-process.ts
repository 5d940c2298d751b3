import { temporaryDirectory } from "../../daemon/testing/temporary-directory.ts"

/** The parts of a local Cloudflare that its clients need. */
export type LocalCloudflareHere = Omit<
  Awaited<ReturnType<typeof localCloudflareHere>>,
  "pid" | "restart"
>

/**
 * The control plane with an empty state and real workerd, in this process: most of what a start
 * takes is loading it, which a process needs only once. A test that stops or kills it, or whose own
 * code blocks this process, takes `localCloudflare`.
 */
export async function localCloudflareHere() {
  const { startServer } = await import("../server.ts")
  const directory = await temporaryDirectory()
  const start = () =>
    startServer({
      directory: directory.path,
      apiPort: 0,
      port: 0,
      https: { port: 0, required: false },
      onLog: () => {},
    })
  let server = await start().catch(async (error: unknown) => {
    await directory[Symbol.asyncDispose]()
    throw error
  })
  const { token } = server
  const { pid, accountId } = server.endpoint

  return {
    directory: directory.path,
    token: async () => token,
    get api() {
      return server.endpoint.api
    },
    get edge() {
      return server.endpoint.edge
    },
    get edgeTls() {
      return server.endpoint.edgeTls
    },
    pid,
    accountId,
    /** In good order, and to other addresses. */
    async restart() {
      await server.close()
      server = await start()
    },
    async client() {
      // The SDK takes half a second to load, which most callers need not spend.
      const { default: Cloudflare } = await import("cloudflare")
      return new Cloudflare({ apiToken: token, baseURL: server.endpoint.api, maxRetries: 0 })
    },
    /** For requests that no SDK would send. */
    async request(path: string, init: RequestInit = {}) {
      const headers = new Headers(init.headers)
      if (!headers.has("authorization")) headers.set("authorization", `Bearer ${token}`)
      return fetch(`${server.endpoint.api}${path}`, { ...init, headers })
    },
    async [Symbol.asyncDispose]() {
      await server.close()
      await directory[Symbol.asyncDispose]()
    },
  }
}
