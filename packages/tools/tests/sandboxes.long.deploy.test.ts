import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { processTree, running } from "@accounts-stack/local/cloudflare/testing/process-tree"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import * as z from "zod"

import { serveFrontEnd } from "../../../examples/front-end/serve.ts"
import { askSandbox, findSandbox } from "../cli/process/sandbox.ts"
import { browserMissing, openBrowser } from "./testing/browser/browser.ts"
import { resultInput } from "./testing/browser/page-visits.ts"
import { copyCheckout, type Checkout } from "./testing/checkout.ts"
import { installPackage } from "./testing/installed-package.ts"
import { cookieHeader, sendRequest } from "./testing/send-request.ts"
import { followStart, type StartProcess } from "./testing/start-process.ts"

const ada = { name: "Ada", email: "ada@example.com", password: "correct horse battery" }
const polling = { timeout: 60_000, interval: 100 }

let checkout: Checkout
let start: StartProcess
let frontEnd: Awaited<ReturnType<typeof serveFrontEnd>>
let browser: Browser

const missing = await browserMissing()

beforeAll(async () => {
  checkout = copyCheckout()
  frontEnd = await serveFrontEnd({ port: 0, api: () => start.url })
  checkout.edit("environments/Pulumi.local.yaml", (text) =>
    text.replace("http://localhost:5173", frontEnd.url),
  )
  start = await startUp()
  if (missing === undefined) browser = await openBrowser("")
})

afterAll(async () => {
  await browser?.close()
  await start?.[Symbol.asyncDispose]()
  await frontEnd?.[Symbol.asyncDispose]()
  await checkout?.[Symbol.asyncDispose]()
})

async function startUp() {
  return followStart(
    checkout.spawn("start", "--state", checkout.state, "--port", "0", "--api-port", "0"),
  )
}

const Emails = z.array(z.object({ to: z.string(), subject: z.string(), text: z.string() }))

async function readByCommand() {
  const { stdout } = await checkout.run("local", "mail", "--json", "--state", checkout.state)
  return Emails.parse(JSON.parse(stdout))
}

async function received() {
  const sandbox = await findSandbox("mail", checkout.state)
  if (!sandbox) throw new Error("No mail sandbox is running.")
  const answer = await askSandbox(sandbox, { path: "/local/emails?after=0" })
  return z.object({ emails: Emails }).parse(answer).emails
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
  const signedUp = await post("/api/auth/sign-up/email", ada)
  expect(signedUp).toMatchObject({ status: 200 })
  await expect.poll(received, polling).toMatchObject([{ to: ada.email }])
  const [email] = await readByCommand()
  expect(email).toMatchObject({ to: ada.email })
  const link = /https?:\/\/\S+/.exec(email?.text ?? "")?.[0] ?? ""
  expect(link.startsWith(`${start.url}/api/auth/verify-email?`)).toBe(true)
  const page = await sendRequest(row("e-mails"))
  expect(page.text).toContain(email?.subject)
  expect(page.text).toContain(`<a href="${link.replaceAll("&", "&amp;")}"`)

  const headers = { cookie: cookieHeader(signedUp) }
  expect(await sendRequest(link, { headers })).toMatchObject({ status: 302 })
  const person = { email: ada.email, password: ada.password }
  const signIn = await post("/api/auth/sign-in/email", person)
  expect(signIn.json).toMatchObject({ user: { emailVerified: true } })
})

test("a checkout is paid on its page, its webhook unlocks the purchase, and a refund locks it", async () => {
  const { email, password } = ada
  const cookie = cookieHeader(await post("/api/auth/sign-in/email", { email, password }))
  const result = await post("/api/v1/createResult", resultInput, cookie)
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
  const { text } = await sendRequest(row("payments"))
  expect(text).toContain("complete, paid")
  const refund = /action="([^"]+\/refund)"/.exec(text)?.[1] ?? ""
  const { origin } = new URL(url)
  expect((await sendRequest(`${origin}${refund}`, { method: "POST" })).status).toBe(303)
  await expect.poll(read, polling).toMatchObject({ unlocked: false, deepInsights: null })
})

test("another repository installs the client from its tarball, compiles strictly, and gets from sign-up to sign-out", async () => {
  using installed = await installPackage({ folder: "client" })
  // Among it is what must not compile.
  expect(await installed.compile()).toBe("")
  const { stdout } = await installed.run(process.execPath, "main.js", start.url, frontEnd.url)
  const query = new URLSearchParams({ callbackURL: frontEnd.url }).toString()
  expect(JSON.parse(stdout)).toEqual({
    wrong: "INVALID_EMAIL_OR_PASSWORD",
    role: "member",
    plan: "free",
    read: "Typed",
    refused: "Requires the role admin or owner",
    invalid: ["name"],
    listed: 1,
    provider: `${start.url}/api/auth/sign-in/my%20idp?${query}`,
    after: "UNAUTHORIZED",
    // The environment has no accounts:tokens.
    token: "NOT_FOUND",
    nowhere: "UNREACHABLE",
  })
})

test.skipIf(missing !== undefined)(
  `[browser]${missing ? ` skipped: ${missing}` : ""} every button of the example front end works, from sign-up by way of its e-mails to sign-out`,
  async () => {
    await using context = await browser.newContext()
    const page = await context.newPage()
    page.setDefaultTimeout(120_000)
    const complaints: string[] = []
    page.on("pageerror", ({ message }) => complaints.push(message))
    const status = (text: string) => page.getByRole("status").getByText(text).waitFor()
    const notice = (text: string) => page.getByRole("alert").getByText(text).waitFor()
    const email = "grace@example.com"
    const fill = async (form: string, fields: Record<string, string>, on = page) => {
      for (const [name, value] of Object.entries(fields)) {
        await on.locator(`#${form} [name=${name}]`).fill(value)
      }
      await on.locator(`#${form} button:not([type])`).click()
    }
    const linkOf = async (subject: string) => {
      const letter = async () =>
        (await received()).find((message) => message.to === email && message.subject === subject)
      await expect.poll(letter, polling).toBeDefined()
      return /https?:\/\/\S+/.exec((await letter())?.text ?? "")?.[0] ?? ""
    }

    await page.goto(frontEnd.url)
    await status("Signed out")
    await fill("sign-up", { name: "Grace", email, password: "correct horse battery" })
    await status("Signed in as Grace")
    const link = await linkOf("Verify your email address")
    const telephone = await browser.newPage()
    await telephone.goto(link)
    await fill("prove", { password: "not the right one" }, telephone)
    await telephone.getByRole("alert").getByText("Invalid password").waitFor()
    await fill("prove", { password: "correct horse battery" }, telephone)
    await telephone.getByRole("alert").getByText("Your address is verified.").waitFor()
    await page.goto(link)
    await notice("Your address is verified.")
    await fill("profile", { name: "Grace Hopper" })
    await status("Signed in as Grace Hopper")
    // Another tab follows.
    const tab = await context.newPage()
    const inTab = (text: string) => tab.getByRole("status").getByText(text).waitFor()
    await tab.goto(frontEnd.url)
    await inTab("Signed in as Grace Hopper")
    await page.locator("#sign-out").click()
    await status("Signed out")
    await inTab("Signed out")

    await fill("sign-in", { email, password: "not the right one" })
    await notice("Wrong email or password, or you have not opened the link in our email yet.")
    await fill("forgotten", { email })
    await page.goto(await linkOf("Reset your password"))
    await fill("new-password", { newPassword: "seven quiet mountain lakes" })
    await notice("Your password has been changed.")
    await fill("sign-in", { email, password: "seven quiet mountain lakes" })
    await status("Signed in as Grace Hopper")
    await inTab("Signed in as Grace Hopper")
    await page.reload()
    await status("Signed in as Grace Hopper")
    await page.locator("#sign-out").click()
    await status("Signed out")
    expect(complaints).toEqual([])
  },
)

test.skipIf(missing !== undefined)(
  `[browser]${missing ? ` skipped: ${missing}` : ""} a visitor clicks through a sign-in with the identity provider of the table`,
  async () => {
    await using context = await browser.newContext()
    const page = await context.newPage()
    const signIn = async (press: string) => {
      await page.goto(row("sign-in"))
      await page.getByRole("link", { name: "Sign in with it" }).click()
      await page.getByLabel("E-mail", { exact: true }).fill("lin@example.com")
      await page.getByLabel("Name").fill("Lin")
      await page.getByRole("button", { name: press }).click()
    }
    await signIn("Refuse")
    await page.waitForURL(`${start.url}/api/v1/docs?error=access_denied`)
    await signIn("Sign in")
    await page.waitForURL(`${start.url}/api/auth/get-session`)
    expect(JSON.parse(await page.locator("body").innerText())).toMatchObject({
      user: { email: "lin@example.com", emailVerified: true, name: "Lin" },
    })
  },
)

test("the sandboxes serve a stack that was destroyed and deployed again beside them", async () => {
  const destroyed = await checkout.run("destroy", "-s", "local", "--yes", "--state", checkout.state)
  expect(destroyed.code).toBe(0)
  checkout.edit("app/worker.ts", (text) => `${text}\n`)
  // The sandboxes get the new stack's keys at the end of its deployment. E-mails sent before would be
  // refused, and they count towards the limit of an address.
  await start.waitForOutput(/↻ app\/worker\.ts changed/)
  await start.waitForOutput(/✓ .* in \d/)
  const bob = { ...ada, name: "Bob", email: "bob@example.com" }
  expect(await post("/api/auth/sign-up/email", bob)).toMatchObject({ status: 200 })
  const recipients = async () => (await received()).map(({ to }) => to)
  await expect.poll(recipients, polling).toContain(bob.email)
})

test("a second start joins the sandboxes, and killing the first start leaves none running", async () => {
  const names = ["mail", "payment", "openid"]
  const before = names.map(endpointOf)
  const second = await startUp()
  expect(names.map(endpointOf)).toEqual(before)
  process.kill(second.pid, "SIGTERM")
  expect(await second.exitCode).toBe(0)
  expect(before.map(({ pid }) => running(pid))).toEqual([true, true, true])

  const pids = processTree(start.pid)
  for (const { pid } of before) expect(pids).toContain(pid)
  process.kill(start.pid, "SIGKILL")
  await expect.poll(() => pids.filter(running), polling).toEqual([])
  for (const sandbox of names) {
    expect(existsSync(join(checkout.state, sandbox, "endpoint.json"))).toBe(false)
  }
})
