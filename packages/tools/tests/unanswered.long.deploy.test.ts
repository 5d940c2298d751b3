import { once } from "node:events"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

import { processTree } from "@accounts-stack/local/cloudflare/testing/process-tree"
import { afterAll, beforeAll, expect, test } from "vitest"
import * as z from "zod"

import { hasExited } from "../cli/process/is-alive.ts"
import { readIfExists } from "../cli/process/is-alive.ts"
import { accountContents } from "./testing/account-contents.ts"
import type { Checkout } from "./testing/checkout.ts"
import { firedFaults, setFaults } from "./testing/faults/fault-rules.ts"
import { openStagingSite, type StagingSite } from "./testing/stacks/staging-site.ts"

const host = "WorkersCustomDomain accounts-api.staging.accounts.test"
const silence = `staging: nothing has happened for 10 s, while the engine waits for ${host}.`
const unchanged =
  "Nothing was changed. Try again once https://www.cloudflarestatus.com says that its API answers."

/** The tests are one journey: each continues with the environment that the previous one left. */
let site: StagingSite

beforeAll(async () => {
  site = await openStagingSite()
  await site.checkout.succeed("up", "-s", "staging", "--yes")
  site.environment["ACCOUNTS_PATIENCE"] = "10"
})

afterAll(async () => await site?.[Symbol.asyncDispose]())

/** From now on Cloudflare takes requests like this one and answers none of them. */
async function hang(method: string, path: string) {
  const match = { surface: "api", method, path }
  const rule = { name: path, match, when: { times: 2 }, action: { type: "hang", applied: true } }
  await setFaults(site.cloudflare, [rule])
}

/** Files by which a run holds the stack. */
function locks() {
  const files = readdirSync(join(site.backend, ".pulumi/locks"), { recursive: true })
  return files.filter((file) => String(file).endsWith(".json"))
}

/** Runs a command to its end, after which no process of it is left. */
async function run(...args: string[]) {
  const child = site.checkout.spawn(...args)
  const pids = new Set<number>()
  const output = { stdout: "", stderr: "" }
  child.stdout?.on("data", (chunk: Buffer) => (output.stdout += chunk.toString()))
  child.stderr?.on("data", (chunk: Buffer) => (output.stderr += chunk.toString()))
  const watch = setInterval(() => {
    for (const pid of processTree(z.number().parse(child.pid))) pids.add(pid)
  }, 500)
  const [code] = z.tuple([z.number(), z.null()]).parse(await once(child, "close"))
  clearInterval(watch)
  // Its children may notice a moment later that their pipe has closed; then they exit.
  const runningCommands = () => [...pids].filter((pid) => !hasExited(pid)).map(commandOf)
  await expect.poll(runningCommands, { timeout: 10_000 }).toEqual([])
  return { code, ...output, seen: pids.size }
}

/** Sends what a terminal sends at Ctrl-C. */
function interrupt({ pid }: { pid?: number | undefined }) {
  process.kill(-z.number().parse(pid), "SIGINT")
}

/** Names a process where it should not be. */
function commandOf(pid: number) {
  return `${pid}: ${readIfExists(`/proc/${pid}/cmdline`)?.replaceAll("\0", " ")}`
}

test("a look that Cloudflare never answers is named by the status, beside what the others found", async () => {
  const schedules = "/workers/scripts/accounts-staging/schedules"
  await site.account.call("PUT", schedules, [{ cron: "0 0 * * *" }])
  await hang("GET", "*/workers/domains/*")
  const { code, stdout, stderr, seen } = await run("status", "-s", "staging", "--markdown")
  expect({ code, locks: locks() }).toEqual({ code: 1, locks: [] })
  expect(seen).toBeGreaterThan(1)
  expect(stderr).toContain(`staging: nothing has happened for 1 s, while the engine waits for `)
  const accepted = stdout.split("\n").filter((line) => line.startsWith("- ") && !/R09/.test(line))
  expect(accepted).toEqual([
    expect.stringMatching(/^- \*\*stack file\*\*/),
    expect.stringMatching(/^- \*\*drift: CronTriggers accounts\*\*: `crons is /),
    `- **plan**: \`${silence} ${unchanged}\``,
  ])
})

test("a plan and an up whose look Cloudflare never answers end, and have changed nothing", async () => {
  const before = await accountContents(site.cloudflare)
  await hang("GET", "*/workers/domains/*")
  const commands = [["plan"], ["up", "--yes"]]
  const runs = await Promise.all(commands.map((args) => run(...args, "-s", "staging")))
  for (const { code, stderr } of runs) {
    expect({ code, locks: locks() }).toEqual({ code: 1, locks: [] })
    expect(stderr).toContain(`error: ${silence} ${unchanged}\n`)
  }
  await setFaults(site.cloudflare, [])
  expect(await accountContents(site.cloudflare)).toEqual(before)
})

test("an up that waits for what it may have made is told of and left alone, and loses nothing", async () => {
  site.configure({ "accounts:routes": ["app.staging.accounts.test/api/*"] })
  await hang("POST", "*/workers/routes")
  const child = site.checkout.spawn("up", "-s", "staging", "--yes")
  let output = ""
  child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()))
  const message =
    /nothing has happened for 10 s, while .* WorkersRoute .*\. That may have been made already\. Ctrl-C twice ends it; then: \.\/accounts repair -s staging\n/
  await expect.poll(() => output, { timeout: 60_000 }).toMatch(message)
  expect(await firedFaults(site.cloudflare)).toHaveLength(1)
  expect({ code: child.exitCode, locks: locks().length }).toEqual({ code: null, locks: 1 })
  const tree = processTree(z.number().parse(child.pid))
  interrupt(child)
  await expect.poll(() => output).toMatch(/staging: ending, once the engine has WorkersRoute /)
  await sleep(600)
  interrupt(child)
  const [code] = z.array(z.unknown()).parse(await once(child, "close"))
  expect(code).toBe(130)
  await expect.poll(() => tree.filter((pid) => !hasExited(pid)).map(commandOf)).toEqual([])
  await setFaults(site.cloudflare, [])
  await site.checkout.succeed("repair", "-s", "staging")
  const { stderr } = await site.checkout.succeed("up", "-s", "staging", "--yes")
  expect(stderr).not.toMatch(/replaced|WorkersRoute .* created/)
  await site.checkout.succeed("plan", "-s", "staging", "--expect-no-changes")
})

test("an up that is interrupted ends what it is doing, writes it down, and frees the stack", async () => {
  site.configure({ "accounts:routes": ["web.staging.accounts.test/api/*"] })
  const match = { surface: "api", method: "POST", path: "*/workers/routes" }
  const action = { type: "delay", ms: 3000 }
  await setFaults(site.cloudflare, [{ name: "slow", match, when: { times: 1 }, action }])
  const child = site.checkout.spawn("up", "-s", "staging", "--yes")
  let output = ""
  child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()))
  await expect.poll(() => firedFaults(site.cloudflare), { timeout: 60_000 }).toHaveLength(1)
  interrupt(child)
  const [code] = z.array(z.unknown()).parse(await once(child, "close"))
  expect({ code, locks: locks() }).toEqual({ code: 130, locks: [] })
  expect(output).toMatch(/error: Interrupted. The engine has freed staging.*repair -s staging\n$/)
  const { stderr } = await site.checkout.succeed("up", "-s", "staging", "--yes")
  expect(stderr).not.toMatch(/WorkersRoute .* created/)
})

/** Sends a signal to the command alone, as a supervisor does, and waits for its end. */
async function signalAlone(child: ReturnType<Checkout["spawn"]>, name: NodeJS.Signals) {
  const tree = processTree(z.number().parse(child.pid))
  process.kill(z.number().parse(child.pid), name)
  const [code] = z.array(z.unknown()).parse(await once(child, "close"))
  await expect.poll(() => tree.filter((pid) => !hasExited(pid)).map(commandOf)).toEqual([])
  return { code, locks: locks() }
}

test("a release in steps that is interrupted gives the traffic back and frees the stack", async () => {
  const worker = "accounts-staging"
  site.configure({ "accounts:releaseSteps": [50, 100], "accounts:releaseBake": 60 })
  const [before] = await site.account.deployments(worker)
  site.checkout.edit("app/worker.ts", (text) => `${text}\nReflect.set(globalThis, "edition", 2)\n`)
  const child = site.checkout.spawn("up", "-s", "staging", "--yes")
  let output = ""
  child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()))
  const shares = async () =>
    Object.values((await site.account.deployments(worker))[0]?.shares ?? {})
  await expect.poll(shares, { timeout: 60_000 }).toEqual([50, 50])
  expect(await signalAlone(child, "SIGTERM")).toEqual({ code: 130, locks: [] })
  expect(output).toMatch(/staging: ending, once the engine has Release accounts/)
  expect((await site.account.deployments(worker))[0]?.shares).toEqual(before?.shares)
  site.configure({ "accounts:releaseSteps": undefined, "accounts:releaseBake": undefined })
})

test("a destroy that is interrupted writes down what it has deleted, and frees the stack", async () => {
  await setFaults(site.cloudflare, [])
  const routes = ["app.staging.accounts.test/api/*"]
  site.configure({ "accounts:protect": false, "accounts:routes": routes })
  await site.checkout.succeed("up", "-s", "staging", "--yes")
  const match = { surface: "api", method: "DELETE", path: "*/workers/routes/*" }
  const action = { type: "delay", ms: 10_000 }
  await setFaults(site.cloudflare, [{ name: "slow", match, when: { times: 1 }, action }])
  const child = site.checkout.spawn("destroy", "-s", "staging", "--yes")
  let output = ""
  child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()))
  await expect.poll(() => firedFaults(site.cloudflare), { timeout: 60_000 }).toHaveLength(1)
  expect(await signalAlone(child, "SIGHUP"), output).toEqual({ code: 130, locks: [] })
  expect(output).toMatch(/staging: ending, once the engine has WorkersRoute /)
  await setFaults(site.cloudflare, [])
  await site.checkout.succeed("destroy", "-s", "staging", "--yes")
  expect(await site.idsOf("d1/database")).toEqual([])
})

test("seconds that are none are refused before anything runs", async () => {
  site.environment["ACCOUNTS_PATIENCE"] = "1m"
  const { code, stderr } = await site.checkout.run("plan", "-s", "staging")
  expect(code).toBe(2)
  expect(stderr).toBe("error: ACCOUNTS_PATIENCE is 1m; it is a number of seconds.\n")
})
