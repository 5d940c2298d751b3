import { readFile } from "node:fs/promises"
import { join } from "node:path"

import type { Sandbox } from "../sandbox.ts"
import { startSandbox } from "../sandbox.ts"
import type { RequestOptions } from "./sandbox-process.ts"
import { ask } from "./sandbox-process.ts"

/** What a sandbox has wherever it runs. */
export type RunningSandbox = {
  url: string
  token: () => Promise<string>
  askAsOwner: (path: string, options?: RequestOptions) => ReturnType<typeof ask>
  stop: (signal?: NodeJS.Signals) => Promise<unknown>
}

/** A sandbox in this process, for tests that do not kill it. */
export async function startSandboxHere(sandbox: Sandbox, state: string): Promise<RunningSandbox> {
  const started = await startSandbox(sandbox, { state, port: 0 })
  const { url } = started.endpoint
  const token = () => readFile(join(state, sandbox.name, "token"), "utf8")
  return {
    url,
    token,
    async askAsOwner(path, options = {}) {
      const authorization = `Bearer ${await token()}`
      return ask(url + path, { ...options, headers: { authorization } })
    },
    stop: () => started.close(),
  }
}
