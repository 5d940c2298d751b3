import { execFileSync } from "node:child_process"
import { createInterface } from "node:readline"
import { Readable } from "node:stream"

import * as z from "zod"

import type { Checkout } from "./checkout.ts"

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
  const follow = (pid: number) => {
    const onHappening = (happening: Happening) => {
      if (at || !due(happening)) return
      at = happening
      kill(pid)
    }
    return followEvents(api, { kind, onHappening, signal: stop.signal })
  }
  const child = checkout.spawn("start", "--once", "--state", checkout.state)
  const output: string[] = []
  child.stderr?.on("data", (chunk: Buffer) => output.push(chunk.toString()))
  child.stdout?.on("data", (chunk: Buffer) => output.push(chunk.toString()))
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  if (child.pid !== undefined) await follow(child.pid)
  await ended
  stop.abort()
  return { at, output: output.join("") }
}

async function followEvents(
  { api, token }: Api,
  {
    kind,
    onHappening,
    signal,
  }: { kind: string; onHappening: (happening: Happening) => void; signal: AbortSignal },
): Promise<void> {
  const response = await fetch(new URL(`/local/events?kind=${kind}`, api), {
    headers: { authorization: `Bearer ${token}` },
    signal,
  })
  if (!response.body) throw new Error("the event stream has no body")
  const lines = createInterface({ input: Readable.fromWeb(response.body) })
  void (async () => {
    for await (const line of lines)
      if (line.startsWith("data:")) onHappening(Happening.parse(JSON.parse(line.slice(5))))
  })().catch(() => {})
}

/** Leaves the engine's plugins alive for a moment, as `kill -9` of a command does: they are no part of its group. */
export function killGroup(pid: number): void {
  endNow(-pid)
}

/** Leaves nothing of a run, as a machine that loses its power. */
export function killTree(pid: number): void {
  const table = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" })
  const children = Map.groupBy(
    table
      .trim()
      .split("\n")
      .map((line) => line.trim().split(/\s+/).map(Number)),
    ([, parent = 0]) => parent,
  )
  const tree = [pid]
  for (const parent of tree)
    tree.push(...(children.get(parent) ?? []).flatMap(([child]) => child ?? []))
  for (const one of tree) endNow(one)
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
