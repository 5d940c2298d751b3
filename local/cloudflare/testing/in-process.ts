import { temporaryDirectory } from "../../daemon/testing/temporary-directory.ts"
import { apiClients } from "./api-clients.ts"

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
    ...apiClients({ api: () => server.endpoint.api, token: async () => token }),
    async [Symbol.asyncDispose]() {
      await server.close()
      await directory[Symbol.asyncDispose]()
    },
  }
}
