import { spawn, type ChildProcess } from "node:child_process"
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"

import * as z from "zod"

import { root } from "../root.ts"
import { Failure } from "./output.ts"

const Endpoint = z.object({
  pid: z.number(),
  api: z.string(),
  edge: z.string(),
  accountId: z.string(),
})

const Line = z.discriminatedUnion("event", [
  Endpoint.extend({ event: z.literal("ready") }),
  z.object({ event: z.literal("error"), code: z.string(), message: z.string() }),
])

export type LocalCloudflare = z.infer<typeof Endpoint> & {
  token: string
  /** False when it was running already: then it is not ours to end. */
  started: boolean
  /** Settles when a process that was started here has ended, with the reason. */
  ended: Promise<string>
  stop(): Promise<void>
}

type Options = { state: string; apiPort: number; port: number }

/** Milliseconds that a first start may take: workerd boots every live version. */
const START_LIMIT = 120_000

/** Joins the local Cloudflare of a state directory, or starts it. */
export async function joinOrStart(options: Options): Promise<LocalCloudflare> {
  return (await findRunning(options.state)) ?? (await start(options))
}

/** The local Cloudflare that runs on this state directory, if one does and answers. */
export async function findRunning(state: string): Promise<LocalCloudflare | undefined> {
  const file = join(state, "cloudflare", "endpoint.json")
  if (!existsSync(file)) return undefined
  const endpoint = Endpoint.safeParse(JSON.parse(readFileSync(file, "utf8")))
  if (!endpoint.success || !alive(endpoint.data.pid)) return undefined
  const token = readToken(state)
  if (!(await answers(endpoint.data.api, token))) return undefined
  return {
    ...endpoint.data,
    token,
    started: false,
    ended: new Promise(() => {}),
    stop: async () => {},
  }
}

async function start({ state, apiPort, port }: Options): Promise<LocalCloudflare> {
  mkdirSync(state, { recursive: true, mode: 0o700 })
  const child = spawn(
    process.execPath,
    [
      join(root, "local", "cloudflare", "main.js"),
      "--state",
      state,
      "--api-port",
      String(apiPort),
      "--port",
      String(port),
      "--exit-with-parent",
    ],
    // A group of its own: Ctrl-C in the terminal is for us to handle, in order.
    { stdio: ["pipe", "pipe", "pipe"], detached: true, env: withoutCloudflare() },
  )
  const errors: string[] = []
  createInterface({ input: child.stderr }).on("line", (line) => errors.push(line))
  const ended = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => {
      resolve([`The local Cloudflare ended (${signal ?? code}).`, ...errors.slice(-5)].join("\n"))
    })
  })
  try {
    const endpoint = await ready(child, ended)
    return {
      ...endpoint,
      token: readToken(state),
      started: true,
      ended,
      stop: () => stop(child, ended),
    }
  } catch (error) {
    await stop(child, ended)
    throw error
  }
}

function ready(child: ChildProcess, ended: Promise<string>): Promise<z.infer<typeof Endpoint>> {
  const { promise, resolve, reject } = Promise.withResolvers<z.infer<typeof Endpoint>>()
  const timer = setTimeout(
    () => reject(new Failure(`The local Cloudflare was not ready after ${START_LIMIT / 1000} s.`)),
    START_LIMIT,
  )
  if (child.stdout)
    createInterface({ input: child.stdout }).on("line", (text) => {
      const line = Line.safeParse(JSON.parse(text)).data
      if (line?.event === "ready") resolve(line)
      if (line?.event === "error") reject(new Failure(line.message))
    })
  void ended.then((reason) => reject(new Failure(reason)))
  return promise.finally(() => clearTimeout(timer))
}

async function stop(child: ChildProcess, ended: Promise<string>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill("SIGTERM")
  const timer = setTimeout(() => child.kill("SIGKILL"), 15_000)
  await ended
  clearTimeout(timer)
}

export function readToken(state: string): string {
  const file = join(state, "cloudflare", "token")
  if (existsSync(file)) return readFileSync(file, "utf8").trim()
  throw new Failure(
    `${file} is missing: no local Cloudflare has run on this state directory yet. Run \`npm start\`.`,
  )
}

async function answers(api: string, token: string): Promise<boolean> {
  try {
    const status = new URL("/local/status", api)
    const response = await fetch(status, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(5_000),
    })
    return response.ok
  } catch {
    return false
  }
}

function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** The caller's own Cloudflare credentials have no business in a local process. */
export function withoutCloudflare(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^(?:CLOUDFLARE|CF)_/.test(name)),
  )
}
