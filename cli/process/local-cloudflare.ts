import { join } from "node:path"

import * as z from "zod"

import { root } from "../../root.ts"
import { Failure, paint, say } from "../output.ts"
import * as processes from "./local-process.ts"

const Endpoint = z.object({
  pid: z.number(),
  api: z.string(),
  edge: z.string(),
  edgeTls: z.string(),
  accountId: z.string(),
})
type Endpoint = z.infer<typeof Endpoint>

const definition: processes.Definition<Endpoint> = {
  title: "local Cloudflare",
  entry: "cloudflare/main.js",
  folder: "cloudflare",
  Endpoint,
  statusUrl: ({ api }) => new URL("/local/status", api),
}

export type LocalCloudflare = processes.LocalProcess<Endpoint>

export const defaultState = join(root, ".local")

type Options = {
  state: string
  apiPort: number
  port: number
  /** Each line that it logs, what Workers print included; nothing of one that was joined. */
  onLog?: (line: string) => void
}

/** Joins or starts the local Cloudflare, and says which. */
export async function bringUp(options: Options): Promise<LocalCloudflare> {
  const cloudflare = await joinOrStart(options)
  const how = cloudflare.started ? "started" : "joined"
  say(`${paint.green("✓")} local Cloudflare ${how} at ${cloudflare.api}`)
  return cloudflare
}

/** Joins the local Cloudflare of a state directory, or starts it. */
export function joinOrStart({ state, apiPort, port, onLog }: Options): Promise<LocalCloudflare> {
  const flags = ["--api-port", String(apiPort), "--port", String(port)]
  return processes.joinOrStart(definition, { state, flags, ...(onLog && { onLog }) })
}

/** The local Cloudflare that runs on this state directory, if one does and answers. */
export function findRunning(state: string): Promise<LocalCloudflare | undefined> {
  return processes.findRunning(definition, state)
}

/** @throws Failure where none runs */
export async function expectRunning(state: string): Promise<LocalCloudflare> {
  const running = await findRunning(state)
  if (running) return running
  throw new Failure(`No local Cloudflare runs on ${state}. \`npm start\` brings it up.`)
}

export function readToken(state: string): string {
  return processes.readToken(definition, state)
}
