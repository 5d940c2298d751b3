import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { processTree, running } from "@accounts/local/cloudflare/testing/process-tree"
import { afterAll, beforeAll, expect, test } from "vitest"
import * as z from "zod"

import { createResultInput } from "../app/testing/result.ts"
import { copyCheckout, type Checkout } from "./testing/checkout.ts"
import { cookieHeader, sendRequest } from "./testing/send-request.ts"
import { followStart, type StartProcess } from "./testing/start-process.ts"

const ada = { name: "Ada", email: "ada@example.com", password: "correct horse battery" }
const polling = { timeout: 60_000, interval: 100 }

let checkout: Checkout
let start: StartProcess

beforeAll(async () => {
  checkout = copyCheckout()
  start = await startUp()
})

afterAll(async () => {
  await start?.[Symbol.asyncDispose]()
  await checkout?.[Symbol.asyncDispose]()
})

async function startUp() {
  return followStart(
    checkout.spawn("start", "--state", checkout.state, "--port", "0", "--api-port", "0"),
  )
}

const Emails = z.array(z.object({ to: z.string(), subject: z.string(), text: z.string() }))

async function readEmails() {
  const { stdout } = await checkout.run("local", "mail", "--json", "--state", checkout.state)
  return Emails.parse(JSON.parse(stdout))
}

/** Sends a request as the web front end does. */
function post(path: string, body: unknown, cookie = "") {
  return sendRequest(start.url + path, {
    headers: { origin: start.url, ...(cookie && { cookie }) },
    body,
  })
}

/** URL of a page in the table that start prints. */
function row(name: string) {
  return new RegExp(`^ {2}${name} {2,}(http\\S+)$`, "m").exec(start.stdout())?.[1] ?? ""
}

function endpointOf(sandbox: string) {
  return z
    .object({ url: z.string(), pid: z.number() })
    .parse(JSON.parse(readFileSync(join(checkout.state, sandbox, "endpoint.json"), "utf8")))
}

test("an e-mail from the service can be read by a command and on the page that start prints; its link works", async () => {
  expect(await post("/api/auth/sign-up/email", ada)).toMatchObject({ status: 200 })
  await expect.poll(readEmails, polling).toMatchObject([{ to: ada.email }])
  const [received] = await readEmails()
  const link = /https?:\/\/\S+/.exec(received?.text ?? "")?.[0] ?? ""
  expect(link.startsWith(`${start.url}/api/auth/verify-email?`)).toBe(true)
  const page = await sendRequest(row("e-mails"))
  expect(page.text).toContain(received?.subject)
  expect(page.text).toContain(`<a href="${link.replaceAll("&", "&amp;")}"`)

  expect(await sendRequest(link)).toMatchObject({ status: 302 })
  const { email, password } = ada
  const signIn = await post("/api/auth/sign-in/email", { email, password })
  expect(signIn.json).toMatchObject({ user: { emailVerified: true } })
})

test("a checkout is paid on its page, and the webhook unlocks the purchase", async () => {
  const { email, password } = ada
  const cookie = cookieHeader(await post("/api/auth/sign-in/email", { email, password }))
  const result = await post("/api/v1/createResult", createResultInput(), cookie)
  const { id } = z.object({ id: z.string() }).parse(result.json)
  const opened = await post("/api/v1/createCheckout", { resultId: id }, cookie)
  const { url } = z.object({ url: z.string() }).parse(opened.json)
  expect(new URL(url).origin).toBe(endpointOf("payment").url)
  expect((await sendRequest(url)).text).toContain("4.99")
  const read = async () =>
    (await sendRequest(`${start.url}/api/v1/getResult?id=${id}`, { headers: { cookie } })).json
  expect(await read()).toMatchObject({ unlocked: false })
  expect((await sendRequest(`${url}/pay`, { method: "POST" })).status).toBe(303)
  await expect.poll(read, polling).toMatchObject({ unlocked: true })
  expect((await sendRequest(row("payments"))).text).toContain("complete, paid")
})

test("the sandboxes serve a stack that was destroyed and deployed anew beside them", async () => {
  const destroyed = await checkout.run("local", "destroy", "--yes", "--state", checkout.state)
  expect(destroyed.code).toBe(0)
  appendFileSync(join(checkout.directory, "app", "worker.ts"), "\n")
  // The sandboxes get the new stack's keys at the end of its deployment. E-mails sent before would be
  // refused, and they count towards the limit of an address.
  await start.waitForOutput(/↻ app\/worker\.ts changed/)
  await start.waitForOutput(/✓ .* in \d/)
  const bob = { ...ada, name: "Bob", email: "bob@example.com" }
  expect(await post("/api/auth/sign-up/email", bob)).toMatchObject({ status: 200 })
  const recipients = async () => (await readEmails()).map(({ to }) => to)
  await expect.poll(recipients, polling).toContain(bob.email)
})

test("a second start joins both sandboxes, and killing the first start leaves neither running", async () => {
  const before = [endpointOf("mail"), endpointOf("payment")]
  const second = await startUp()
  expect([endpointOf("mail"), endpointOf("payment")]).toEqual(before)
  process.kill(second.pid, "SIGTERM")
  expect(await second.exitCode).toBe(0)
  expect(before.map(({ pid }) => running(pid))).toEqual([true, true])

  const pids = processTree(start.pid)
  for (const { pid } of before) expect(pids).toContain(pid)
  process.kill(start.pid, "SIGKILL")
  await expect.poll(() => pids.filter(running), polling).toEqual([])
  for (const sandbox of ["mail", "payment"]) {
    expect(existsSync(join(checkout.state, sandbox, "endpoint.json"))).toBe(false)
  }
})
