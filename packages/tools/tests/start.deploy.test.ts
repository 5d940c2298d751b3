import { afterAll, beforeAll, expect, test } from "vitest"

import { sendRequest } from "./testing/send-request.ts"
import { openStartedCheckout, type StartedCheckout } from "./testing/started-checkout.ts"

/** The tests are one journey: each continues with the environment that the previous one left. */
let site: StartedCheckout

beforeAll(async () => {
  site = await openStartedCheckout()
})

afterAll(async () => {
  await site?.[Symbol.asyncDispose]()
})

test("stdout has a table and then `ready` with the URL; progress goes to stderr, without colours", () => {
  const lines = site.start.stdout().trimEnd().split("\n")
  expect(lines.at(-1)).toBe(`ready ${site.start.url}`)
  expect(site.start.url).toMatch(/^http:\/\/localhost:\d+$/)
  for (const line of lines.slice(0, -1)) expect(line).toMatch(/^ {2}\w[\w -]*? {2,}\S/)
  expect(site.start.stderr()).toMatch(/Release accounts created/)
  const [address] = /https?:\S+/.exec(site.start.stderr() + site.start.stdout()) ?? []
  expect(address).toBe(`${site.start.url}/sign-up`)
  expect(site.start.stdout() + site.start.stderr()).not.toContain("\u001B")
})

test("each request is printed on one line", async () => {
  await sendRequest(`${site.start.url}/api/health`)
  await sendRequest(`${site.start.url}/nowhere?a=b`)
  const host = new URL(site.start.url).host
  expect(await site.start.waitForOutput(/\d+ GET .*health \d+ ms/)).toContain(
    `200 GET ${host}/api/health`,
  )
  expect(await site.start.waitForOutput(/\d+ GET .*nowhere.* \d+ ms/)).toContain(
    `404 GET ${host}/nowhere`,
  )
})

test("an edit of the app goes live", async () => {
  const before = await site.served()
  // A command is no part of what is deployed: saved together, only the app is reported as changed.
  site.edit("packages/tools/cli/output.ts", (content) => `${content}\n// saved\n`)
  site.write("app/worker.ts", site.edition("first"))
  await site.start.waitForOutput(/↻ app\/worker\.ts changed/)
  expect(await site.live(before)).toMatch(/✓ 2 update, /)
})

test("a broken edit is reported with file and line while the previous version keeps serving; the fix goes live", async () => {
  const before = await site.served()
  site.write("app/worker.ts", `${site.worker}\nconst = 1\n`)
  const line = site.worker.split("\n").length + 1
  await site.start.waitForOutput(new RegExp(`app/worker\\.ts:${line}:\\d+`))
  await site.start.waitForOutput(/✗ /)
  expect(await site.served()).toBe(before)
  site.write("app/worker.ts", site.edition("fixed"))
  await site.live(before)
})

test("a new migration is applied", async () => {
  const name = site.addMigration("note", "CREATE TABLE note (id TEXT PRIMARY KEY);\n")
  await site.start.waitForOutput(new RegExp(`${name} applied`))
  const health = async () => (await sendRequest(`${site.start.url}/api/health?schema=1`)).json
  await expect
    .poll(health, { timeout: 120_000, interval: 100 })
    .toMatchObject({ migrations: { expected: name, found: name } })
  await site.start.waitForOutput(/✓ .* in \d/)
})

test("SIGTERM stops everything, with exit code 0", async () => {
  const pids = await site.processesOf(site.start.pid)
  process.kill(site.start.pid, "SIGTERM")
  expect(await site.start.exitCode).toBe(0)
  await site.expectGone(pids)
})

test("Ctrl-C, which reaches the whole process group, stops npm start", async () => {
  await site.npmStart()
  const pids = await site.processesOf(site.start.pid)
  process.kill(-site.start.pid, "SIGINT")
  await site.start.exitCode
  await site.expectGone(pids)
  expect(site.start.stderr()).not.toMatch(/error/i)
})
