import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync } from "node:fs"
import { mkdtempDisposable, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"

import * as z from "zod"

import { Failure } from "../../base/failure.ts"
import { root } from "../../base/root.ts"
import { parseJson } from "../../deploy/api.ts"
import { isAlive, readIfExists } from "./is-alive.ts"

const prefix = "accounts-rows-"

/** A folder for rows in plain text, deleted at the end, or by the next run after a kill. */
export async function createPrivateFolder() {
  for (const name of await readdir(tmpdir())) {
    const [, pid] = /^accounts-rows-(\d+)-\w+$/.exec(name) ?? []
    if (pid === undefined || isAlive(Number(pid))) continue
    // Folders of other users cannot be deleted.
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined)
  }
  return await mkdtempDisposable(join(tmpdir(), `${prefix}${process.pid}-`))
}

/** A program of `packages/local/` that runs at most once per state directory. */
export type Definition<Endpoint> = {
  /** Its name in messages. */
  title: string
  /** Path of its entry, relative to `packages/local/`. */
  entry: string
  /** Its folder in the state directory. */
  folder: string
  /** The endpoint that it prints and writes when it is ready. */
  Endpoint: z.ZodType<Endpoint>
  /** URL that answers 200 to the process's token. */
  statusUrl: (endpoint: Endpoint) => URL
}

export type LocalProcess<Endpoint> = Endpoint & {
  token: string
  /** False if it was running already. */
  started: boolean
  /** Resolves with the reason when its process exits. */
  ended: Promise<string>
  /** Does nothing to a process that was joined. */
  stop(): Promise<void>
}

type Identified = { pid: number }

type Options = {
  state: string
  flags: string[]
  /** Called with each line it logs, unless it was joined. */
  onLog?: (line: string) => void
}

/** Timeout of a start (ms): workerd boots every live version. */
const startTimeout = 120_000

/** How long to wait for another run that is starting or stopping the same process (ms). */
const takeoverTimeout = 15_000

/** Timeout of a status request (ms): a busy machine may be starting a Worker. */
const answerTimeout = 20_000

/** Polling interval (ms). */
const pollInterval = 500

/** Time to exit after SIGTERM (ms). */
const stopTimeout = 15_000

export async function joinOrStart<Endpoint extends Identified>(
  definition: Definition<Endpoint>,
  options: Options,
): Promise<LocalProcess<Endpoint>> {
  const deadline = performance.now() + takeoverTimeout
  let holder: number | undefined
  for (;;) {
    const running = await findRunning(definition, options.state)
    if (running) return running
    const late = performance.now() > deadline
    // A start is refused until the holder has exited, so an earlier attempt would waste a process.
    if (late || holder === undefined || !isAlive(holder)) {
      const outcome = await start(definition, options)
      if (!("refusal" in outcome)) return outcome
      if (late) throw outcome.refusal
      holder = outcome.holder
    }
    await sleep(pollInterval)
  }
}

/** Returns the process of this state directory if it runs and answers. */
export async function findRunning<Endpoint extends Identified>(
  definition: Definition<Endpoint>,
  state: string,
): Promise<LocalProcess<Endpoint> | undefined> {
  const { title, folder, Endpoint, statusUrl } = definition
  const written = readIfExists(join(state, folder, "endpoint.json"))
  if (written === undefined) return undefined
  const endpoint = Endpoint.safeParse(parseJson(written)).data
  if (!endpoint || !isAlive(endpoint.pid)) return undefined
  const token = readToken(definition, state)
  if (!(await answers(statusUrl(endpoint), token))) return undefined
  const exited = waitForExit(endpoint.pid, title)
  return { ...endpoint, token, started: false, ended: exited, stop: async () => {} }
}

/** Resolves when the process exits, without keeping this process running. */
async function waitForExit(pid: number, title: string): Promise<string> {
  while (isAlive(pid)) await sleep(pollInterval, undefined, { ref: false })
  return `The ${title} was stopped by the run that had started it.`
}

/** Another process holds the state directory. */
type Locked = { refusal: Failure; holder: number | undefined }

async function start<Endpoint extends Identified>(
  definition: Definition<Endpoint>,
  { state, flags, onLog = () => {} }: Options,
): Promise<LocalProcess<Endpoint> | Locked> {
  mkdirSync(state, { recursive: true, mode: 0o700 })
  const main = join(root, "packages", "local", definition.entry)
  const child = spawn(
    process.execPath,
    [main, "--state", state, ...flags, "--exit-with-parent"],
    // In its own process group: this process handles the terminal's Ctrl-C and stops the others in order.
    { stdio: ["pipe", "pipe", "pipe"], detached: true, env: withoutCloudflareSettings() },
  )
  const lastLines: string[] = []
  createInterface({ input: child.stderr }).on("line", (line) => {
    lastLines.push(line)
    if (lastLines.length > 5) lastLines.shift()
    onLog(line)
  })
  const exited = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => {
      const exit = `The ${definition.title} exited (${signal ?? code}).`
      resolve([exit, ...lastLines].join("\n"))
    })
  })
  try {
    const endpoint = await untilReady(definition, { child, ended: exited })
    if ("refusal" in endpoint) {
      await stop(child, exited)
      return endpoint
    }
    return {
      ...endpoint,
      token: readToken(definition, state),
      started: true,
      ended: exited,
      stop: () => stop(child, exited),
    }
  } catch (error) {
    await stop(child, exited)
    throw error
  }
}

const Refusal = z.object({
  event: z.literal("error"),
  code: z.string(),
  holder: z.number().optional(),
  message: z.string(),
})

function untilReady<Endpoint extends Identified>(
  { title, Endpoint }: Definition<Endpoint>,
  { child, ended }: { child: ChildProcess; ended: Promise<string> },
): Promise<Endpoint | Locked> {
  const { promise, resolve, reject } = Promise.withResolvers<Endpoint | Locked>()
  const timer = setTimeout(
    () =>
      reject(
        new Failure(
          "COMMAND_FAILED",
          `The ${title} was not ready after ${startTimeout / 1000} s. Run the command again.`,
        ),
      ),
    startTimeout,
  )
  if (child.stdout) {
    createInterface({ input: child.stdout }).on("line", (text) => {
      const line = parseJson(text)
      const endpoint = Endpoint.safeParse(line)
      if (endpoint.success) return resolve(endpoint.data)
      const { data: refused } = Refusal.safeParse(line)
      if (!refused) return
      const { code, holder, message } = refused
      if (code !== "STATE_LOCKED") return reject(new Failure("COMMAND_FAILED", message))
      resolve({ refusal: new Failure("LOCKED", message), holder })
    })
  }
  void ended.then((reason) => reject(new Failure("COMMAND_FAILED", reason)))
  return promise.finally(() => clearTimeout(timer))
}

async function stop(child: ChildProcess, exited: Promise<string>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill("SIGTERM")
  const timer = setTimeout(() => child.kill("SIGKILL"), stopTimeout)
  await exited
  clearTimeout(timer)
}

export function readToken(
  { title, folder }: { title: string; folder: string },
  state: string,
): string {
  const file = join(state, folder, "token")
  const token = readIfExists(file)
  if (token !== undefined) return token.trim()
  throw new Failure(
    "COMMAND_FAILED",
    `${file} is missing: no ${title} has run on this state directory yet. Run \`npm start\`.`,
  )
}

async function answers(status: URL, token: string): Promise<boolean> {
  try {
    const response = await fetch(status, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(answerTimeout),
    })
    return response.ok
  } catch {
    return false
  }
}

/** Keeps the caller's Cloudflare credentials out of local processes. */
function withoutCloudflareSettings(
  environment: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^(?:CLOUDFLARE|CF)_/.test(name)),
  )
}
