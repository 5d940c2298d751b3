import { spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { callLocal } from "@accounts-stack/local/cloudflare/testing/call-local"
import { processTree, running } from "@accounts-stack/local/cloudflare/testing/process-tree"
import { expect } from "vitest"
import * as z from "zod"

import { copyCheckout } from "./checkout.ts"
import { sendRequest } from "./send-request.ts"
import { followStart, type StartProcess } from "./start-process.ts"

const anyPorts = ["--port", "0", "--api-port", "0"]

const Endpoint = z.object({ pid: z.number(), api: z.string(), accountId: z.string() })
const Status = z.object({ processes: z.array(z.object({ pid: z.number() })) })

/** A copy of the checkout, in which `start` runs, is edited, stopped and run again. */
export async function openStartedCheckout() {
  await using opened = new AsyncDisposableStack()
  const checkout = opened.use(copyCheckout())
  const file = (path: string) => join(checkout.directory, path)
  /** The original source of the Worker's entry. */
  const worker = readFileSync(file("app/worker.ts"), "utf8")
  let start: StartProcess

  function spawnStart(...flags: string[]) {
    return checkout.spawn("start", "--state", checkout.state, ...anyPorts, ...flags)
  }

  function endpoint() {
    const read = (name: string) => readFileSync(join(checkout.state, "cloudflare", name), "utf8")
    return { ...Endpoint.parse(JSON.parse(read("endpoint.json"))), token: read("token").trim() }
  }

  async function served(): Promise<string> {
    return (await sendRequest(`${start.url}/api/health`)).headers["accounts-version"]?.[0] ?? ""
  }

  start = await followStart(spawnStart())
  const resources = opened.move()
  return {
    ...checkout,
    file,
    worker,
    endpoint,
    served,
    spawnStart,
    get start() {
      return start
    },
    /** Starts again; the former one has ended. */
    async restart(...flags: string[]) {
      start = await followStart(spawnStart(...flags))
    },
    /** Starts again as a user does. */
    async npmStart() {
      start = await followStart(
        spawn("npm", ["start", "--", "--state", checkout.state, ...anyPorts], {
          cwd: checkout.directory,
          detached: true,
          stdio: ["ignore", "pipe", "pipe"],
        }),
      )
    },
    /** An edited version of the Worker's entry. */
    edition: (name: string) => `${worker}\nReflect.set(globalThis, "edition", "${name}")\n`,
    /** Waits until another version answers. */
    async live(before: string): Promise<string> {
      await expect.poll(served, { timeout: 120_000, interval: 100 }).not.toBe(before)
      return await start.waitForOutput(/✓ .* in \d/)
    },
    /** Every process of a `start`: its process tree and those that the local Cloudflare reports. */
    async processesOf(pid: number): Promise<number[]> {
      const cloudflare = endpoint()
      const { processes } = Status.parse(await callLocal(cloudflare, "/local/status"))
      expect(processes.length).toBeGreaterThan(0)
      const reported = processes.map((each) => each.pid)
      return [...new Set([...processTree(pid), cloudflare.pid, ...reported])]
    },
    async expectGone(pids: number[]): Promise<void> {
      await expect.poll(() => pids.filter(running), { timeout: 60_000 }).toEqual([])
      expect(existsSync(join(checkout.state, "cloudflare", "endpoint.json"))).toBe(false)
    },
    async [Symbol.asyncDispose]() {
      await start[Symbol.asyncDispose]()
      await resources.disposeAsync()
    },
  }
}

export type StartedCheckout = Awaited<ReturnType<typeof openStartedCheckout>>
