import { once } from "node:events"

import { processTree } from "@accounts/local/cloudflare/testing/process-tree"
import * as z from "zod"

import { openEvents } from "../../../cli/running/event-stream.ts"
import type { Checkout } from "../checkout.ts"

const Happening = z.object({
  method: z.string(),
  path: z.string(),
  status: z.number().optional(),
  rule: z.string().optional(),
})
export type Happening = z.infer<typeof Happening>

type Api = { api: string; token: string }

export type Interruption = {
  /** What it was killed at; undefined when the run finished first. */
  at: Happening | undefined
  output: string
}

/** When a run ends, and what ends with it. */
type Plan = {
  kind: "api" | "fault"
  due: (happening: Happening) => boolean
  kill: (pid: number) => void
}

/** Runs `start --once` of a copy and kills it at the first event that is due. */
export async function interruptUp(
  checkout: Checkout,
  api: Api,
  { kind, due, kill }: Plan,
): Promise<Interruption> {
  const stop = new AbortController()
  let at: Happening | undefined
  let child: ReturnType<Checkout["spawn"]> | undefined
  const onHappening = (happening: Happening) => {
    if (at || child?.pid === undefined || !due(happening)) return
    at = happening
    kill(child.pid)
  }
  // Before it starts: what it does while this machine is busy must not be missed.
  await followEvents(api, { kind, onHappening, signal: stop.signal })
  child = checkout.spawn("start", "--once", "--state", checkout.state)
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
    onHappening,
    signal,
  }: { kind: string; onHappening: (happening: Happening) => void; signal: AbortSignal },
): Promise<void> {
  const events = await openEvents(api, { query: { kind }, signal })
  void (async () => {
    for await (const event of events) onHappening(Happening.parse(event))
  })().catch(() => {})
}

/** Leaves the engine's plugins alive for a moment, as `kill -9` of a command does: they are no part of its group. */
export function killGroup(pid: number): void {
  endNow(-pid)
}

/** Leaves nothing of a run, as a machine that loses its power. */
export function killTree(pid: number): void {
  for (const one of processTree(pid)) endNow(one)
}

function endNow(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
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
