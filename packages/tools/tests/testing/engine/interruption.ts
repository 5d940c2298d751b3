import { once } from "node:events"

import { processTree } from "@accounts-stack/local/cloudflare/testing/process-tree"
import * as z from "zod"

import { openEvents } from "../../../cli/running/log.ts"
import type { Checkout } from "../checkout.ts"

const LogEvent = z.object({
  method: z.string(),
  path: z.string(),
  status: z.number().optional(),
  rule: z.string().optional(),
})
export type LogEvent = z.infer<typeof LogEvent>

type Api = { api: string; token: string }

export type Interruption = {
  /** The event at which it was killed; undefined if the run finished first. */
  at: LogEvent | undefined
  output: string
}

/** When to kill a run, and how. */
type Plan = {
  kind: "api" | "fault"
  isDue: (event: LogEvent) => boolean
  kill: (pid: number) => void
  /** Default: `start --once`. */
  command?: string[]
}

/** Runs a command of a copy and kills it at the first event that `isDue` accepts. */
export async function interruptUp(
  checkout: Checkout,
  api: Api,
  { kind, isDue, kill, command = ["start", "--once", "--state", checkout.state] }: Plan,
): Promise<Interruption> {
  const stop = new AbortController()
  let at: LogEvent | undefined
  let child: ReturnType<Checkout["spawn"]> | undefined
  const onEvent = (event: LogEvent) => {
    if (at || child?.pid === undefined || !isDue(event)) return
    at = event
    kill(child.pid)
  }
  // Subscribe before it starts, so that no event is missed on a busy machine.
  await followEvents(api, { kind, onEvent, signal: stop.signal })
  child = checkout.spawn(...command)
  const output: string[] = []
  child.stderr?.on("data", (chunk: Buffer) => output.push(chunk.toString()))
  child.stdout?.on("data", (chunk: Buffer) => output.push(chunk.toString()))
  await once(child, "close")
  stop.abort()
  return { at, output: output.join("") }
}

async function followEvents(
  api: Api,
  {
    kind,
    onEvent,
    signal,
  }: { kind: string; onEvent: (event: LogEvent) => void; signal: AbortSignal },
): Promise<void> {
  const events = await openEvents(api, { query: { kind }, signal })
  void (async () => {
    for await (const event of events) onEvent(LogEvent.parse(event))
  })().catch(() => {})
}

/** The engine's plugins survive for a moment, as after `kill -9` of a command: they are in another group. */
export function killProcessGroup(pid: number): void {
  send(-pid, "SIGKILL")
}

/**
 * Kills every process of a run, as a power failure does. None may see another one die: an engine that
 * outlives its providers by ten milliseconds writes into the state that nothing is pending.
 */
export function killProcessTree(pid: number): void {
  for (const processId of processTree(pid)) send(processId, "SIGSTOP")
  for (const processId of processTree(pid)) send(processId, "SIGKILL")
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The process exited at the same moment.
  }
}

/** Wraps an error of `act` in one whose message is `context`. */
export async function withContext<Value>(
  context: string,
  act: () => Promise<Value>,
): Promise<Value> {
  try {
    return await act()
  } catch (cause) {
    throw new Error(context, { cause })
  }
}

/** True at the n-th call that changed the account, D1 statements included. */
export function changeNumber(n: number): (call: LogEvent) => boolean {
  let changes = 0
  return ({ method, status = 0 }) => {
    if (method !== "GET" && status < 400) changes += 1
    return changes === n
  }
}
