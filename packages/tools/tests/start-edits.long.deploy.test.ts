import { once } from "node:events"
import { readFileSync } from "node:fs"

import { processTree, running } from "@accounts-stack/local/cloudflare/testing/process-tree"
import { afterAll, beforeAll, expect, test } from "vitest"
import * as z from "zod"

import { callAccount } from "./testing/call-account.ts"
import { sendRequest } from "./testing/send-request.ts"
import { followStart } from "./testing/start-process.ts"
import { openStartedCheckout, type StartedCheckout } from "./testing/started-checkout.ts"

const ada = { name: "Ada", email: "ada@example.com", password: "correct horse battery" }

/** The tests are one journey: each continues with the environment that the previous one left. */
let site: StartedCheckout

beforeAll(async () => {
  site = await openStartedCheckout()
})

afterAll(async () => {
  await site?.[Symbol.asyncDispose]()
})

function signUp(origin: string, email: string) {
  return sendRequest(`${site.start.url}/api/auth/sign-up/email`, {
    headers: { origin },
    body: { ...ada, email },
  })
}

test("an edit of the stack file is deployed; an invalid one is rejected with one message", async () => {
  const origin = "http://localhost:4321"
  expect(await signUp(origin, "grace@example.com")).toMatchObject({ status: 403 })
  await site.start.waitForOutput(
    /"refusedOrigin":"http:\/\/localhost:4321","trustIn":"accounts:trustedOrigins"/,
  )
  const before = await site.served()
  const path = "environments/Pulumi.local.yaml"
  const original = readFileSync(site.file(path), "utf8")
  site.write(path, original.replace(/accounts:webOrigin: .*/, `accounts:webOrigin: ${origin}`))
  await site.live(before)
  expect(await signUp(origin, ada.email)).toMatchObject({ status: 200 })

  const good = readFileSync(site.file(path), "utf8")
  const now = await site.served()
  site.write(path, `${good}  accounts:nonsense: 1\n`)
  await site.start.waitForOutput(/✗ environments\/Pulumi\.local\.yaml[\s\S]*nonsense/)
  expect(await site.served()).toBe(now)
  site.write(path, good)
  await site.start.waitForOutput(/✓ 0 changes/)
})

const limit = `type: "ratelimit", required: "never", namespace_id: "1099", summary: "Added."`
const binding = `  LIMIT_ADDED: { ${limit}, simple: { limit: 7, period: 60 } },\n$&`

// The bundle has no part of either.
test.each([
  ["the table of bindings", "app/bindings.ts", "  LIMIT_EMAIL: {", binding, "LIMIT_ADDED"],
  [
    "the runtime's flags",
    "infra/bundle.ts",
    '"nodejs_compat"',
    '$&, "no_web_socket_compression"',
    "no_web_socket_compression",
  ],
])("an edit of %s is deployed", async (_what, path, place, text, expectedText) => {
  const before = await site.served()
  site.edit(path, (content) => content.replace(place, text))
  await site.live(before)
  const account = site.endpoint()
  const version = `/accounts/${account.accountId}/workers/scripts/accounts-local/versions/${await site.served()}`
  const Version = z.object({ resources: z.unknown() })
  const { resources } = await callAccount(account, { path: version }, Version)
  expect(JSON.stringify(resources)).toContain(`"${expectedText}"`)
})

test("a broken edit of the Pulumi program is reported with its file; the fix is loaded", async () => {
  const program = readFileSync(site.file("infra/index.ts"), "utf8")
  site.write("infra/index.ts", `${program}\nconst = 1\n`)
  await site.start.waitForOutput(/infra\/index\.ts:\d+[\s\S]*✗ /)
  expect(await sendRequest(`${site.start.url}/api/health`)).toMatchObject({ status: 200 })
  site.write("infra/index.ts", program)
  await site.start.waitForOutput(/✓ 0 changes/)
})

test("a second start joins, both deploy the same edit in turn, and stopping it leaves the first running", async () => {
  const second = await followStart(site.spawnStart())
  expect(second.url).toBe(site.start.url)
  expect(second.stderr()).toMatch(/local Cloudflare joined/)
  const before = await site.served()
  site.write("app/worker.ts", site.edition("for two"))
  await site.live(before)
  await second.waitForOutput(/✓ .* in \d/)
  expect(second.stderr()).not.toMatch(/✗/)
  process.kill(second.pid, "SIGTERM")
  expect(await second.exitCode).toBe(0)
  expect(await sendRequest(`${site.start.url}/api/health`)).toMatchObject({ status: 200 })
})

test("a restart keeps the users; --json prints one document", async () => {
  process.kill(site.start.pid, "SIGTERM")
  expect(await site.start.exitCode).toBe(0)
  await site.restart("--json")
  const document: unknown = JSON.parse(site.start.stdout())
  expect(document).toMatchObject({ ready: true, url: site.start.url, stack: "local" })
  const body = { email: ada.email, password: ada.password }
  const signIn = await sendRequest(`${site.start.url}/api/auth/sign-in/email`, {
    headers: { origin: site.start.url },
    body,
  })
  expect(signIn).toMatchObject({ status: 200, json: { user: { email: ada.email } } })
})

test("SIGKILL during a deployment leaves no orphan process, not even the engine", async () => {
  const idle = await site.processesOf(site.start.pid)
  site.write("app/worker.ts", site.edition("never deployed"))
  // The engine; its providers are in the process that deploys.
  await expect
    .poll(() => processTree(site.start.pid).length, { timeout: 60_000, interval: 20 })
    .toBeGreaterThanOrEqual(idle.length + 1)
  const pids = await site.processesOf(site.start.pid)
  process.kill(site.start.pid, "SIGKILL")
  await site.expectGone(pids)
})

test("when the local Cloudflare is killed, start reports it and exits with code 1, and a restart works", async () => {
  await site.restart()
  expect(await sendRequest(`${site.start.url}/api/health`)).toMatchObject({ status: 200 })
  const pids = await site.processesOf(site.start.pid)
  process.kill(site.endpoint().pid, "SIGKILL")
  expect(await site.start.exitCode).toBe(1)
  expect(site.start.stderr()).toMatch(/error: The local Cloudflare exited \(SIGKILL\)/)
  await expect.poll(() => pids.filter(running), { timeout: 60_000 }).toEqual([])
})

test("an interrupt before start is ready stops everything, with exit code 130", async () => {
  const child = site.spawnStart()
  const exit = once(child, "close")
  child.stdout?.resume()
  // Keep reading: a process whose stderr is closed dies when it prints the next line.
  let printed = ""
  child.stderr?.on("data", (chunk: Buffer) => (printed += chunk.toString()))
  await expect.poll(() => printed, { timeout: 120_000 }).toContain("local Cloudflare started")
  const pids = await site.processesOf(child.pid ?? 0)
  child.kill("SIGINT")
  expect(await exit).toEqual([130, null])
  await site.expectGone(pids)
})

test("SIGTERM to npm alone stops npm start", async () => {
  await site.npmStart()
  const pids = await site.processesOf(site.start.pid)
  process.kill(site.start.pid, "SIGTERM")
  expect(await site.start.exitCode).not.toBe(1)
  await site.expectGone(pids)
})
