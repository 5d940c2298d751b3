import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"

import Cloudflare from "cloudflare"
import * as z from "zod"

const Ready = z.object({
  event: z.literal("ready"),
  pid: z.number(),
  api: z.url(),
  edge: z.url(),
  edgeTls: z.url(),
  accountId: z.string(),
})
const Failed = z.object({ event: z.literal("error"), code: z.string(), message: z.string() })
const Line = z.discriminatedUnion("event", [Ready, Failed])

/** The first line of a process that was started like any user starts it, and its end. */
export type Started = {
  line: z.infer<typeof Line>
  stderr: () => string
  /** Closes stdin, which is how a parent's death looks. */
  closeStdin(): void
  signal(signal: NodeJS.Signals): void
  ended: Promise<number | null>
}

export async function startProcess(state: string, ...flags: string[]): Promise<Started> {
  const main = join(import.meta.dirname, "..", "main.js")
  const defaults = ["--state", state, "--api-port", "0", "--port", "0", "--exit-with-parent"]
  const child = spawn(process.execPath, [main, ...defaults, ...flags])
  let stderr = ""
  child.stderr.on("data", (chunk) => (stderr += String(chunk)))
  // The end of the process may be known before what it printed last has come.
  const ended = once(child, "close").then(() => child.exitCode)
  const [first] = await Promise.race([
    once(createInterface(child.stdout), "line"),
    ended.then((exit) => [`no line, exit ${exit}: ${stderr}`]),
  ])
  return {
    line: Line.parse(JSON.parse(String(first))),
    stderr: () => stderr,
    closeStdin: () => void child.stdin.end(),
    signal: (signal) => void child.kill(signal),
    ended,
  }
}

/** A directory that is gone at the end of the test. */
export async function temporaryDirectory() {
  const path = await mkdtemp(join(tmpdir(), "local-cloudflare-"))
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }),
  }
}

/** The process over a directory of its own, real workerd included, with Cloudflare's SDK as client. */
export async function localCloudflare(...flags: string[]) {
  const directory = await temporaryDirectory()
  const token = () => readFile(join(directory.path, "cloudflare", "token"), "utf8")
  let current = await startReady(directory.path, flags)

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
    async client() {
      return new Cloudflare({ apiToken: await token(), baseURL: current.ready.api, maxRetries: 0 })
    },
    /** A request as it is, for what no SDK would send. */
    async request(path: string, init: RequestInit = {}) {
      const headers = new Headers(init.headers)
      if (!headers.has("authorization")) headers.set("authorization", `Bearer ${await token()}`)
      return fetch(`${current.ready.api}${path}`, { ...init, headers })
    },
    async stop(signal: NodeJS.Signals) {
      current.process.signal(signal)
      await current.process.ended
    },
    async start() {
      current = await startReady(directory.path, flags)
    },
    async restart(signal: NodeJS.Signals) {
      await this.stop(signal)
      await this.start()
    },
    async [Symbol.asyncDispose]() {
      current.process.closeStdin()
      await current.process.ended
      await directory[Symbol.asyncDispose]()
    },
  }
}

async function startReady(state: string, flags: string[]) {
  const started = await startProcess(state, ...flags)
  if (started.line.event === "ready") return { process: started, ready: started.line }
  throw new Error(`${started.line.code}: ${started.line.message}`)
}
