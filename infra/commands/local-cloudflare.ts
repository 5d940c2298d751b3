import { spawn, type ChildProcess } from "node:child_process"
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"

import * as z from "zod"

import { root } from "../root.ts"
import { alive } from "./alive.ts"
import { Failure, Locked, paint, say } from "./output.ts"

const Endpoint = z.object({
  pid: z.number(),
  api: z.string(),
  edge: z.string(),
  edgeTls: z.string(),
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
  /** Settles when its process has ended, with the reason. */
  ended: Promise<string>
  stop(): Promise<void>
}

export const defaultState = join(root, ".local")

type Options = {
  state: string
  apiPort: number
  port: number
  /** Each line that it logs, what Workers print included; nothing of one that was joined. */
  onLog?: (line: string) => void
}

/** Milliseconds that a first start may take: workerd boots every live version. */
const START_LIMIT = 120_000

/** Milliseconds for another run that is just starting or ending it on the same state directory. */
const TURN_LIMIT = 15_000

/** Milliseconds between two looks at a process that somebody else started. */
const LOOK = 500

/** Joins or starts the local Cloudflare, and says which. */
export async function bringUp(options: Options): Promise<LocalCloudflare> {
  const cloudflare = await joinOrStart(options)
  const how = cloudflare.started ? "started" : "joined"
  say(`${paint.green("✓")} local Cloudflare ${how} at ${cloudflare.api}`)
  return cloudflare
}

/** Joins the local Cloudflare of a state directory, or starts it. */
export async function joinOrStart(options: Options): Promise<LocalCloudflare> {
  const patience = performance.now() + TURN_LIMIT
  for (;;) {
    const running = await findRunning(options.state)
    if (running) return running
    const outcome = await start(options)
    if (!(outcome instanceof Locked)) return outcome
    if (performance.now() > patience) throw outcome
    await sleep(LOOK)
  }
}

/** The local Cloudflare that runs on this state directory, if one does and answers. */
export async function findRunning(state: string): Promise<LocalCloudflare | undefined> {
  const endpoint = readEndpoint(join(state, "cloudflare", "endpoint.json"))
  if (!endpoint || !alive(endpoint.pid)) return undefined
  const token = readToken(state)
  if (!(await answers(endpoint.api, token))) return undefined
  return { ...endpoint, token, started: false, ended: gone(endpoint.pid), stop: async () => {} }
}

function readEndpoint(file: string): z.infer<typeof Endpoint> | undefined {
  if (!existsSync(file)) return undefined
  return Endpoint.safeParse(parseJson(readFileSync(file, "utf8"))).data
}

/** Looking never keeps this process alive. */
async function gone(pid: number): Promise<string> {
  while (alive(pid)) await sleep(LOOK, undefined, { ref: false })
  return "The local Cloudflare was ended by the run that had started it."
}

async function start(options: Options): Promise<LocalCloudflare | Locked> {
  const { state, apiPort, port, onLog = () => {} } = options
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
  const last: string[] = []
  createInterface({ input: child.stderr }).on("line", (line) => {
    last.push(line)
    if (last.length > 5) last.shift()
    onLog(line)
  })
  const ended = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => {
      resolve([`The local Cloudflare ended (${signal ?? code}).`, ...last].join("\n"))
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
    if (error instanceof Locked) return error
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
      const line = Line.safeParse(parseJson(text)).data
      if (line?.event === "ready") resolve(line)
      if (line?.event === "error") reject(asFailure(line))
    })
  void ended.then((reason) => reject(new Failure(reason)))
  return promise.finally(() => clearTimeout(timer))
}

function asFailure({ code, message }: { code: string; message: string }): Failure {
  return code === "STATE_LOCKED" ? new Locked(message) : new Failure(message)
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The caller's own Cloudflare credentials have no business in a local process. */
function withoutCloudflare(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^(?:CLOUDFLARE|CF)_/.test(name)),
  )
}
