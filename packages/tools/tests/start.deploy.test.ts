import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { callLocal } from "@accounts-stack/local/cloudflare/testing/call-local"
import { processTree, running } from "@accounts-stack/local/cloudflare/testing/process-tree"
import { afterAll, beforeAll, expect, test } from "vitest"
import * as z from "zod"

import { callAccount } from "./testing/call-account.ts"
import { copyCheckout, type Checkout } from "./testing/checkout.ts"
import { sendRequest } from "./testing/send-request.ts"
import { followStart, type StartProcess } from "./testing/start-process.ts"

const anyPorts = ["--port", "0", "--api-port", "0"]
const ada = { name: "Ada", email: "ada@example.com", password: "correct horse battery" }

/** One journey: each test continues with the environment that the previous one left. */
let checkout: Checkout
let start: StartProcess
/** The original source of the Worker's entry. */
let worker: string

beforeAll(async () => {
  checkout = copyCheckout()
  worker = readFileSync(file("app/worker.ts"), "utf8")
  start = await startUp()
})

afterAll(async () => {
  await start?.[Symbol.asyncDispose]()
  await checkout?.[Symbol.asyncDispose]()
})

function file(path: string) {
  return join(checkout.directory, path)
}

function startUp(...flags: string[]) {
  return followStart(checkout.spawn("start", "--state", checkout.state, ...anyPorts, ...flags))
}

/** Runs `npm start` as a user does. */
function npmStart() {
  return followStart(
    spawn("npm", ["start", "--", "--state", checkout.state, ...anyPorts], {
      cwd: checkout.directory,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    }),
  )
}

/** An edited version of the Worker's entry. */
function edition(name: string) {
  return `${worker}\nReflect.set(globalThis, "edition", "${name}")\n`
}

function save(path: string, content: string) {
  checkout.write(path, content)
}

async function served(): Promise<string> {
  return (await sendRequest(`${start.url}/api/health`)).headers["accounts-version"]?.[0] ?? ""
}

/** Waits until another version answers. */
async function live(before: string): Promise<string> {
  await expect.poll(served, { timeout: 120_000, interval: 100 }).not.toBe(before)
  return await start.waitForOutput(/✓ .* in \d/)
}

const Endpoint = z.object({ pid: z.number(), api: z.string(), accountId: z.string() })

function endpoint() {
  const read = (name: string) => readFileSync(join(checkout.state, "cloudflare", name), "utf8")
  const token = read("token").trim()
  return { ...Endpoint.parse(JSON.parse(read("endpoint.json"))), token }
}

/** Every process of a `start`: its process tree and those that the local Cloudflare reports. */
async function processesOf(pid: number): Promise<number[]> {
  const cloudflare = endpoint()
  const { processes } = z
    .object({ processes: z.array(z.object({ pid: z.number() })) })
    .parse(await callLocal(cloudflare, "/local/status"))
  expect(processes.length).toBeGreaterThan(0)
  return [...new Set([...processTree(pid), cloudflare.pid, ...processes.map((each) => each.pid)])]
}

async function expectGone(pids: number[]): Promise<void> {
  await expect.poll(() => pids.filter(running), { timeout: 60_000 }).toEqual([])
  expect(existsSync(join(checkout.state, "cloudflare", "endpoint.json"))).toBe(false)
}

function signUp(origin: string, email: string) {
  return sendRequest(`${start.url}/api/auth/sign-up/email`, {
    headers: { origin },
    body: { ...ada, email },
  })
}

test("stdout has a table and then `ready` with the URL; progress goes to stderr, without colours", () => {
  const lines = start.stdout().trimEnd().split("\n")
  expect(lines.at(-1)).toBe(`ready ${start.url}`)
  expect(start.url).toMatch(/^http:\/\/localhost:\d+$/)
  for (const line of lines.slice(0, -1)) expect(line).toMatch(/^ {2}\w[\w -]*? {2,}\S/)
  expect(start.stderr()).toMatch(/Release accounts created/)
  const [address] = /https?:\S+/.exec(start.stderr() + start.stdout()) ?? []
  expect(address).toBe(`${start.url}/sign-up`)
  expect(start.stdout() + start.stderr()).not.toContain("\u001B")
})

test("each request is printed on one line", async () => {
  await sendRequest(`${start.url}/api/health`)
  await sendRequest(`${start.url}/nowhere?a=b`)
  const host = new URL(start.url).host
  expect(await start.waitForOutput(/\d+ GET .*health \d+ ms/)).toContain(
    `200 GET ${host}/api/health`,
  )
  expect(await start.waitForOutput(/\d+ GET .*nowhere.* \d+ ms/)).toContain(
    `404 GET ${host}/nowhere`,
  )
})

test("an edit of the app goes live", async () => {
  const before = await served()
  // A command is no part of what is deployed: saved together, only the app is reported as changed.
  checkout.edit("packages/tools/cli/output.ts", (content) => `${content}\n// saved\n`)
  save("app/worker.ts", edition("first"))
  await start.waitForOutput(/↻ app\/worker\.ts changed/)
  expect(await live(before)).toMatch(/✓ 2 update, /)
})

test("a broken edit is reported with file and line while the previous version keeps serving; the fix goes live", async () => {
  const before = await served()
  save("app/worker.ts", `${worker}\nconst = 1\n`)
  const line = worker.split("\n").length + 1
  await start.waitForOutput(new RegExp(`app/worker\\.ts:${line}:\\d+`))
  await start.waitForOutput(/✗ /)
  expect(await served()).toBe(before)
  save("app/worker.ts", edition("fixed"))
  await live(before)
})

test("a new migration is applied", async () => {
  const name = checkout.addMigration("note", "CREATE TABLE note (id TEXT PRIMARY KEY);\n")
  await start.waitForOutput(new RegExp(`${name} applied`))
  const health = async () => (await sendRequest(`${start.url}/api/health?schema=1`)).json
  await expect
    .poll(health, { timeout: 120_000, interval: 100 })
    .toMatchObject({ migrations: { expected: name, found: name } })
  await start.waitForOutput(/✓ .* in \d/)
})

test("an edit of the stack file is deployed; an invalid one is rejected with one message", async () => {
  const origin = "http://localhost:4321"
  expect(await signUp(origin, "grace@example.com")).toMatchObject({ status: 403 })
  await start.waitForOutput(
    /"refusedOrigin":"http:\/\/localhost:4321","trustIn":"accounts:trustedOrigins"/,
  )
  const before = await served()
  const path = "environments/Pulumi.local.yaml"
  const original = readFileSync(file(path), "utf8")
  save(path, original.replace(/accounts:webOrigin: .*/, `accounts:webOrigin: ${origin}`))
  await live(before)
  expect(await signUp(origin, ada.email)).toMatchObject({ status: 200 })

  const good = readFileSync(file(path), "utf8")
  const now = await served()
  save(path, `${good}  accounts:nonsense: 1\n`)
  await start.waitForOutput(/✗ environments\/Pulumi\.local\.yaml[\s\S]*nonsense/)
  expect(await served()).toBe(now)
  save(path, good)
  await start.waitForOutput(/✓ 0 changes/)
})

const limit = `type: "ratelimit", required: "never", namespace_id: "1099", summary: "Added."`
const binding = `  LIMIT_ADDED: { ${limit}, simple: { limit: 7, period: 60 } },\n$&`

// The bundle has no part of either.
test.each([
  ["the table of bindings", "app/bindings.ts", "  LIMIT_EMAIL: {", binding, "LIMIT_ADDED"],
  [
    "the runtime's flags",
    "app/service/build/runtime.ts",
    '"nodejs_compat"',
    '$&, "no_web_socket_compression"',
    "no_web_socket_compression",
  ],
])("an edit of %s is deployed", async (_what, path, place, text, found) => {
  const before = await served()
  checkout.edit(path, (content) => content.replace(place, text))
  await live(before)
  const account = endpoint()
  const version = `/accounts/${account.accountId}/workers/scripts/accounts-local/versions/${await served()}`
  const Version = z.object({ resources: z.unknown() })
  const { resources } = await callAccount(account, { path: version }, Version)
  expect(JSON.stringify(resources)).toContain(`"${found}"`)
})

test("a broken edit of the Pulumi program is reported with its file; the fix is loaded", async () => {
  const program = readFileSync(file("infra/index.ts"), "utf8")
  save("infra/index.ts", `${program}\nconst = 1\n`)
  await start.waitForOutput(/infra\/index\.ts:\d+[\s\S]*✗ /)
  expect(await sendRequest(`${start.url}/api/health`)).toMatchObject({ status: 200 })
  save("infra/index.ts", program)
  await start.waitForOutput(/✓ 0 changes/)
})

test("a second start joins, both deploy the same edit in turn, and stopping it leaves the first running", async () => {
  const second = await startUp()
  expect(second.url).toBe(start.url)
  expect(second.stderr()).toMatch(/local Cloudflare joined/)
  const before = await served()
  save("app/worker.ts", edition("for two"))
  await live(before)
  await second.waitForOutput(/✓ .* in \d/)
  expect(second.stderr()).not.toMatch(/✗/)
  process.kill(second.pid, "SIGTERM")
  expect(await second.exitCode).toBe(0)
  expect(await sendRequest(`${start.url}/api/health`)).toMatchObject({ status: 200 })
})

test("SIGTERM stops everything, with exit code 0", async () => {
  const pids = await processesOf(start.pid)
  process.kill(start.pid, "SIGTERM")
  expect(await start.exitCode).toBe(0)
  await expectGone(pids)
})

test("a restart keeps the users; --json prints one document", async () => {
  start = await startUp("--json")
  const document: unknown = JSON.parse(start.stdout())
  expect(document).toMatchObject({ ready: true, url: start.url, stack: "local" })
  const body = { email: ada.email, password: ada.password }
  const signIn = await sendRequest(`${start.url}/api/auth/sign-in/email`, {
    headers: { origin: start.url },
    body,
  })
  expect(signIn).toMatchObject({ status: 200, json: { user: { email: ada.email } } })
})

test("SIGKILL during a deployment leaves no orphan process, not even the engine", async () => {
  const idle = await processesOf(start.pid)
  save("app/worker.ts", edition("never deployed"))
  // The engine; its providers are in the process that deploys.
  await expect
    .poll(() => processTree(start.pid).length, { timeout: 60_000, interval: 20 })
    .toBeGreaterThanOrEqual(idle.length + 1)
  const pids = await processesOf(start.pid)
  process.kill(start.pid, "SIGKILL")
  await expectGone(pids)
})

test("when the local Cloudflare is killed, start reports it and exits with code 1, and a restart works", async () => {
  start = await startUp()
  expect(await sendRequest(`${start.url}/api/health`)).toMatchObject({ status: 200 })
  const pids = await processesOf(start.pid)
  process.kill(endpoint().pid, "SIGKILL")
  expect(await start.exitCode).toBe(1)
  expect(start.stderr()).toMatch(/error: The local Cloudflare exited \(SIGKILL\)/)
  await expect.poll(() => pids.filter(running), { timeout: 60_000 }).toEqual([])
})

test("an interrupt before start is ready stops everything, with exit code 130", async () => {
  const child = checkout.spawn("start", "--state", checkout.state, ...anyPorts)
  const ended = once(child, "close")
  child.stdout?.resume()
  // Keep reading: a process whose stderr is closed dies when it prints the next line.
  let printed = ""
  child.stderr?.on("data", (chunk: Buffer) => (printed += chunk.toString()))
  await expect.poll(() => printed, { timeout: 120_000 }).toContain("local Cloudflare started")
  const pids = await processesOf(child.pid ?? 0)
  child.kill("SIGINT")
  expect(await ended).toEqual([130, null])
  await expectGone(pids)
})

test("Ctrl-C, which reaches the whole process group, stops npm start", async () => {
  start = await npmStart()
  const pids = await processesOf(start.pid)
  process.kill(-start.pid, "SIGINT")
  await start.exitCode
  await expectGone(pids)
  expect(start.stderr()).not.toMatch(/error/i)
})

test("SIGTERM to npm alone stops npm start", async () => {
  start = await npmStart()
  const pids = await processesOf(start.pid)
  process.kill(start.pid, "SIGTERM")
  await start.exitCode
  await expectGone(pids)
})
