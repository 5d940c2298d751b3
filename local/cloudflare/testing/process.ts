import * as z from "zod"

import { startLocalProcess } from "../../daemon/testing/local-process.ts"
import { temporaryDirectory } from "../../daemon/testing/temporary-directory.ts"
import { apiClients } from "./api-clients.ts"

const Ready = z.object({
  event: z.literal("ready"),
  pid: z.number(),
  api: z.url(),
  edge: z.url(),
  edgeTls: z.url(),
  accountId: z.string(),
})

/** The control plane as a process, on any free ports. */
export function startProcess(state: string, ...flags: string[]) {
  return startLocalProcess({
    entry: "cloudflare/main.js",
    state,
    folder: "cloudflare",
    flags: ["--api-port", "0", "--port", "0", ...flags],
    Ready,
  })
}

/** The control plane with an empty state, real workerd and Cloudflare's SDK as its client. */
export async function localCloudflare(...flags: string[]) {
  const directory = await temporaryDirectory()
  const start = async () => {
    const started = await startProcess(directory.path, ...flags)
    return { process: started, ready: started.ready() }
  }
  let current = await start()
  const token = () => current.process.token()

  return {
    directory: directory.path,
    token,
    get api() {
      return current.ready.api
    },
    get edge() {
      return current.ready.edge
    },
    get edgeTls() {
      return current.ready.edgeTls
    },
    get pid() {
      return current.ready.pid
    },
    accountId: current.ready.accountId,
    stderr: () => current.process.stderr(),
    ...apiClients({ api: () => current.ready.api, token }),
    async stop(signal: NodeJS.Signals) {
      current.process.signal(signal)
      await current.process.exited
    },
    async start() {
      current = await start()
    },
    async restart(signal: NodeJS.Signals) {
      await this.stop(signal)
      await this.start()
    },
    async [Symbol.asyncDispose]() {
      current.process.closeStdin()
      await current.process.exited
      await directory[Symbol.asyncDispose]()
    },
  }
}
