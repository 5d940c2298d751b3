import { readFile } from "node:fs/promises"
import { join } from "node:path"

import { type Sandbox, startSandbox } from "../sandbox.ts"
import { asOwner } from "./sandbox-process.ts"

/** A running sandbox, in this process or in its own. */
export type RunningSandbox = {
  url: string
  token: () => Promise<string>
  askAsOwner: ReturnType<typeof asOwner>
  stop: (signal?: NodeJS.Signals) => Promise<unknown>
}

/** A sandbox in this process, for tests that do not kill it. */
export async function startSandboxHere(sandbox: Sandbox, state: string): Promise<RunningSandbox> {
  const started = await startSandbox(sandbox, { state, port: 0 })
  const { url } = started.endpoint
  const token = () => readFile(join(state, sandbox.name, "token"), "utf8")
  return { url, token, askAsOwner: asOwner(url, token), stop: () => started.close() }
}
