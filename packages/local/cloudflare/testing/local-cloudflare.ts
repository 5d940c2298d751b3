import * as z from "zod"

import { startLocalProcess } from "../../daemon/testing/local-process.ts"
import { temporaryDirectory } from "../../daemon/testing/temporary-directory.ts"
import { callLocal } from "./call-local.ts"

const Endpoint = z.object({
  pid: z.number(),
  api: z.url(),
  edge: z.url(),
  edgeTls: z.url(),
  accountId: z.string(),
})

const Ready = Endpoint.extend({ event: z.literal("ready") })

type Server = {
  endpoint: z.infer<typeof Endpoint>
  token: string
  /** Returns the stderr so far, if the server is a process. */
  stderr?: () => string
  /** Stops the server gracefully. A process can be stopped with a signal instead. */
  close: (signal?: NodeJS.Signals) => Promise<unknown>
}

export type LocalCloudflare = Awaited<ReturnType<typeof localCloudflare>>

/**
 * A local Cloudflare with an empty state and real workerd, in this process: most of what a start
 * takes is loading it, which a process needs only once.
 */
export async function localCloudflare() {
  const { startServer } = await import("../program.ts")
  const https = { port: 0, required: false }
  return open((directory) =>
    startServer({ directory, apiPort: 0, port: 0, https, onLog: () => {} }),
  )
}

/** The same as a process, for a test that kills it or whose own code blocks this process. */
export async function localCloudflareProcess() {
  return open(async (directory) => {
    const started = await startProcess(directory)
    return {
      endpoint: started.ready(),
      token: await started.token(),
      stderr: started.stderr,
      async close(signal) {
        if (signal) started.signal(signal)
        else started.closeStdin()
        await started.exited
      },
    }
  })
}

/** The process alone, on any free ports. */
export function startProcess(state: string, ...flags: string[]) {
  return startLocalProcess({
    entry: "cloudflare/main.js",
    state,
    folder: "cloudflare",
    flags: ["--api-port", "0", "--port", "0", ...flags],
    Ready,
  })
}

async function open(run: (directory: string) => Promise<Server>) {
  await using opened = new AsyncDisposableStack()
  const directory = opened.use(await temporaryDirectory())
  let server = await run(directory.path)
  opened.defer(async () => void (await server.close()))
  const { token } = server
  const { accountId } = server.endpoint
  const resources = opened.move()

  return {
    directory: directory.path,
    token,
    accountId,
    get pid() {
      return server.endpoint.pid
    },
    get api() {
      return server.endpoint.api
    },
    get edge() {
      return server.endpoint.edge
    },
    get edgeTls() {
      return server.endpoint.edgeTls
    },
    stderr: () => server.stderr?.() ?? "",
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
    local: (path: string, body?: unknown, method?: string) =>
      callLocal({ api: server.endpoint.api, token }, path, body, method),
    stop: async (signal?: NodeJS.Signals) => void (await server.close(signal)),
    async start() {
      server = await run(directory.path)
    },
    /** At other addresses. */
    async restart(signal?: NodeJS.Signals) {
      await this.stop(signal)
      await this.start()
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
