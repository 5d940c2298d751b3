import { createInterface } from "node:readline"
import { Readable } from "node:stream"

import * as z from "zod"

import type { Checkout } from "./checkout.ts"

const Call = z.object({ method: z.string(), path: z.string(), status: z.number() })
type Call = z.infer<typeof Call>

type Api = { api: string; token: string }

/** Follows the API calls that the local Cloudflare has answered, until the signal. */
async function followCalls({ api, token }: Api, onCall: (call: Call) => void, signal: AbortSignal) {
  const response = await fetch(new URL("/local/events", api), {
    headers: { authorization: `Bearer ${token}` },
    signal,
  })
  if (!response.body) throw new Error("the event stream has no body")
  const lines = createInterface({ input: Readable.fromWeb(response.body) })
  void (async () => {
    let event = ""
    for await (const line of lines) {
      if (line.startsWith("event:")) event = line.slice(6).trim()
      if (event === "api" && line.startsWith("data:")) onCall(Call.parse(JSON.parse(line.slice(5))))
    }
  })().catch(() => {})
}

/** Calls that change the account, D1 statements included. */
const changes = ({ method, status }: Call) => method !== "GET" && status < 400

export type Interruption = {
  /** The call after which everything was killed; undefined when the run finished first. */
  after: Call | undefined
  output: string
}

/** Runs `start --once` of a copy and kills its whole process group after the n-th change of the account. */
export async function interruptUp(checkout: Checkout, api: Api, n: number): Promise<Interruption> {
  const stop = new AbortController()
  let seen = 0
  let after: Call | undefined
  const child = checkout.spawn("start", "--once", "--state", checkout.state)
  const output: string[] = []
  child.stderr?.on("data", (chunk: Buffer) => output.push(chunk.toString()))
  child.stdout?.on("data", (chunk: Buffer) => output.push(chunk.toString()))
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  await followCalls(
    api,
    (call) => {
      if (!changes(call) || after) return
      seen += 1
      if (seen < n) return
      after = call
      killGroup(child.pid)
    },
    stop.signal,
  )
  await ended
  stop.abort()
  return { after, output: output.join("") }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, "SIGKILL")
  } catch {
    // It ended by itself in the same moment.
  }
}

/** Says with an error what had happened before. */
export async function told<Value>(before: string, act: () => Promise<Value>): Promise<Value> {
  try {
    return await act()
  } catch (cause) {
    throw new Error(before, { cause })
  }
}
