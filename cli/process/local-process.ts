import { spawn, type ChildProcess } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"

import * as z from "zod"

import { root } from "../../root.ts"
import { Failure, Locked } from "../output.ts"
import { alive } from "./alive.ts"
import { parseJson, readIfThere } from "./file.ts"

/** A program of `local/`, of which each state directory has one process at most. */
export type Definition<Endpoint> = {
  /** As people call it. */
  title: string
  /** Its entry, relative to `local/`. */
  entry: string
  /** Its folder in the state directory. */
  folder: string
  /** What it writes when it is ready, which holds at least its `pid`. */
  Endpoint: z.ZodType<Endpoint>
  /** Answers whoever has its token. */
  statusUrl: (endpoint: Endpoint) => URL
}

export type LocalProcess<Endpoint> = Endpoint & {
  token: string
  /** False when it was running already: then it is not ours to end. */
  started: boolean
  /** Settles when its process has ended, with the reason. */
  ended: Promise<string>
  stop(): Promise<void>
}

type Identified = { pid: number }

type Options = {
  state: string
  flags: string[]
  /** Each line that it logs; nothing of one that was joined. */
  onLog?: (line: string) => void
}

/** Milliseconds that a start may take: workerd boots every live version. */
const startLimit = 120_000

/** Milliseconds for another run that is just starting or ending it on the same state directory. */
const takeoverLimit = 15_000

/** Milliseconds for an answer of a process that lives: it may be starting a Worker on a busy machine. */
const answerLimit = 20_000

/** Milliseconds between two looks at a process that somebody else started. */
const pollInterval = 500

/** Joins the process of a state directory, or starts it. */
export async function joinOrStart<Endpoint extends Identified>(
  definition: Definition<Endpoint>,
  options: Options,
): Promise<LocalProcess<Endpoint>> {
  const patience = performance.now() + takeoverLimit
  for (;;) {
    const running = await findRunning(definition, options.state)
    if (running) return running
    const outcome = await start(definition, options)
    if (!(outcome instanceof Locked)) return outcome
    if (performance.now() > patience) throw outcome
    await sleep(pollInterval)
  }
}

/** The process that runs on this state directory, if one does and answers. */
export async function findRunning<Endpoint extends Identified>(
  definition: Definition<Endpoint>,
  state: string,
): Promise<LocalProcess<Endpoint> | undefined> {
  const { title, folder, Endpoint, statusUrl } = definition
  // One that is just ending takes it away.
  const written = readIfThere(join(state, folder, "endpoint.json"))
  if (written === undefined) return undefined
  const endpoint = Endpoint.safeParse(parseJson(written)).data
  if (!endpoint || !alive(endpoint.pid)) return undefined
  const token = readToken(definition, state)
  if (!(await answers(statusUrl(endpoint), token))) return undefined
  const ended = gone(endpoint.pid, title)
  return { ...endpoint, token, started: false, ended, stop: async () => {} }
}

/** Looking never keeps this process alive. */
async function gone(pid: number, title: string): Promise<string> {
  while (alive(pid)) await sleep(pollInterval, undefined, { ref: false })
  return `The ${title} was ended by the run that had started it.`
}

async function start<Endpoint extends Identified>(
  definition: Definition<Endpoint>,
  { state, flags, onLog = () => {} }: Options,
): Promise<LocalProcess<Endpoint> | Locked> {
  mkdirSync(state, { recursive: true, mode: 0o700 })
  const main = join(root, "local", definition.entry)
  const child = spawn(
    process.execPath,
    [main, "--state", state, ...flags, "--exit-with-parent"],
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
      resolve([`The ${definition.title} ended (${signal ?? code}).`, ...last].join("\n"))
    })
  })
  try {
    const endpoint = await ready(definition, { child, ended })
    return {
      ...endpoint,
      token: readToken(definition, state),
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

const Refusal = z.object({ event: z.literal("error"), code: z.string(), message: z.string() })

function ready<Endpoint>(
  { title, Endpoint }: Definition<Endpoint>,
  { child, ended }: { child: ChildProcess; ended: Promise<string> },
): Promise<Endpoint> {
  const { promise, resolve, reject } = Promise.withResolvers<Endpoint>()
  const timer = setTimeout(
    () => reject(new Failure(`The ${title} was not ready after ${startLimit / 1000} s.`)),
    startLimit,
  )
  if (child.stdout) {
    createInterface({ input: child.stdout }).on("line", (text) => {
      const line = parseJson(text)
      const endpoint = Endpoint.safeParse(line)
      if (endpoint.success) return resolve(endpoint.data)
      const refusal = Refusal.safeParse(line)
      if (refusal.success) reject(asFailure(refusal.data))
    })
  }
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

export function readToken(
  { title, folder }: { title: string; folder: string },
  state: string,
): string {
  const file = join(state, folder, "token")
  const token = readIfThere(file)
  if (token !== undefined) return token.trim()
  throw new Failure(
    `${file} is missing: no ${title} has run on this state directory yet. Run \`npm start\`.`,
  )
}

async function answers(status: URL, token: string): Promise<boolean> {
  try {
    const response = await fetch(status, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(answerLimit),
    })
    return response.ok
  } catch {
    return false
  }
}

/** The caller's own Cloudflare credentials have no business in a local process. */
function withoutCloudflare(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^(?:CLOUDFLARE|CF)_/.test(name)),
  )
}
