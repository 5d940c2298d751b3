import * as z from "zod"

import { Failure } from "../../base/failure.ts"
import { paint, say } from "../output.ts"
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

type Options = {
  state: string
  apiPort: number
  port: number
  /** Called with each log line, including output of Workers, unless it was joined. */
  onLog?: (line: string) => void
}

/** Ids of processes that were printed as joined or started. */
const printedIds = new Set<number>()

/** Joins or starts the local Cloudflare, and prints which, once for each process. */
export async function bringUp(options: Options): Promise<LocalCloudflare> {
  const cloudflare = await joinOrStart(options)
  if (printedIds.has(cloudflare.pid)) return cloudflare
  printedIds.add(cloudflare.pid)
  const how = cloudflare.started ? "started" : "joined"
  // Omits its address: no browser can open it, and users open the first printed one.
  say(`${paint.green("✓")} local Cloudflare ${how}`)
  return cloudflare
}

export function joinOrStart({ state, apiPort, port, onLog }: Options): Promise<LocalCloudflare> {
  const flags = ["--api-port", String(apiPort), "--port", String(port)]
  return processes.joinOrStart(definition, { state, flags, ...(onLog && { onLog }) })
}

export function findRunning(state: string): Promise<LocalCloudflare | undefined> {
  return processes.findRunning(definition, state)
}

/** @throws Failure if none is running */
export async function expectRunning(state: string): Promise<LocalCloudflare> {
  const running = await findRunning(state)
  if (running) return running
  throw new Failure(
    "COMMAND_FAILED",
    `No local Cloudflare is running on ${state}. Start it with \`npm start\`.`,
  )
}

/** Calls a route of the local Cloudflare itself, such as `/local/status`, with its token. */
export async function request(
  { api, token }: Pick<LocalCloudflare, "api" | "token">,
  path: string,
  options: { method?: string; query?: Record<string, string>; body?: string } = {},
): Promise<Response> {
  const { method = "GET", query = {}, body } = options
  const url = new URL(path, api)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return await fetch(url, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body !== undefined && { body }),
  })
}

export function readToken(state: string): string {
  return processes.readToken(definition, state)
}
