import { setTimeout as sleep } from "node:timers/promises"

import { callLocal } from "@accounts-stack/local/cloudflare/testing/call-local"
import { afterAll, beforeAll, expect, test } from "vitest"
import * as z from "zod"

import { serveFrontEnd } from "../../../examples/front-end/serve.ts"
import { browserMissing, openBrowser } from "./testing/browser/browser.ts"
import { setFaults } from "./testing/faults/fault-rules.ts"
import { cookieHeader, sendRequest, type HttpResponse } from "./testing/send-request.ts"
import { openStacks, type TestStack, type TestStacks } from "./testing/stacks/test-stacks.ts"

/** Seconds for which the database hangs: longer than a request may take. */
const stall = Number(process.env["STALL_SECONDS"] ?? 12)
/** Milliseconds. A request has 10 s for all of its questions; without that it would wait for D1's own 30. */
const patience = 25_000

/** Every question to every database. */
const hang = {
  match: { surface: "d1" },
  when: { probability: 1, seed: 1 },
  action: { type: "hang" },
}

const password = "correct horse battery"

let stacks: TestStacks
let local: TestStack
let url: string
let frontEnd: Awaited<ReturnType<typeof serveFrontEnd>>

const missing = await browserMissing()

beforeAll(async () => {
  frontEnd = await serveFrontEnd({ port: 0, api: () => url })
  stacks = await openStacks()
  local = await stacks.local({ "accounts:webOrigin": frontEnd.url })
  url = String((await local.up()).outputs["url"])
})

afterAll(async () => {
  await stacks?.[Symbol.asyncDispose]()
  await frontEnd?.[Symbol.asyncDispose]()
})

/** From another address each time: limits by address are not what is looked at. */
function post(path: string, body: unknown) {
  const host = () => 1 + Math.floor(Math.random() * 250)
  const localAddress = `127.${host()}.${host()}.${host()}`
  return sendRequest(url + path, { headers: { origin: url }, body, localAddress })
}

async function signUp(email: string) {
  const reply = await post("/api/auth/sign-up/email", { name: "Ada", email, password })
  expect(reply.status).toBe(200)
  return { email, cookie: cookieHeader(reply) }
}

type Member = Awaited<ReturnType<typeof signUp>>

function getSession({ cookie }: Member) {
  return sendRequest(`${url}/api/auth/get-session`, { headers: { cookie } })
}

function signIn(email: string, secret: string) {
  return post("/api/auth/sign-in/email", { email, password: secret })
}

/** Requests of members, and the status of the response while the database works. */
const asks = {
  "get-session": [200, getSession],
  getProfile: [
    200,
    ({ cookie }: Member) => sendRequest(`${url}/api/v1/getProfile`, { headers: { cookie } }),
  ],
  "sign-in": [200, ({ email }: Member) => signIn(email, password)],
  "sign-in, wrong password": [401, ({ email }: Member) => signIn(email, "not it at all")],
} as const

/** Sends the requests of all members again and again, until the signal. */
async function ask(members: Member[], signal: AbortSignal) {
  const answers: { name: string; took: number; reply: HttpResponse }[] = []
  const kinds = Object.entries(asks)
  const asking = members.flatMap((member) =>
    kinds.map(async ([name, [, send]]) => {
      while (!signal.aborted) {
        const began = Date.now()
        const reply = await send(member)
        answers.push({ name, took: Date.now() - began, reply })
        // An address has ten sign-ins a minute, and what is answered at once would be asked without end.
        const pause = name.startsWith("sign-in") ? 14_000 : 100
        await sleep(pause, undefined, { signal }).catch(() => {})
      }
    }),
  )
  await Promise.all(asking)
  return answers
}

async function processIds() {
  const Status = z.object({ processes: z.array(z.object({ pid: z.number() })) })
  const status = Status.parse(await callLocal(local.cloudflare, "/local/status"))
  return status.processes.map(({ pid }) => pid)
}

/** As text, with the sentence left out. */
function described({ status, json, headers }: HttpResponse) {
  return [status, Object(json).code, headers["retry-after"]].join(" ")
}

test("while the database hangs under load, every request is answered in time with when to retry, and after it everything works", async () => {
  const members: Member[] = []
  for (let index = 0; index < 8; index += 1) members.push(await signUp(`${index}@example.com`))
  const processes = await processIds()
  await setFaults(local.cloudflare, [hang])
  const answers = await ask(members, AbortSignal.timeout(stall * 1000))
  await setFaults(local.cloudflare, [])

  const counts: Record<string, number> = {}
  for (const { name, reply } of answers) {
    const text = `${name}: ${described(reply)}`
    counts[text] = (counts[text] ?? 0) + 1
  }
  // None is 500, 401 or an empty session.
  expect(Object.keys(counts).toSorted()).toEqual(
    Object.keys(asks)
      .map((name) => `${name}: 503 UNAVAILABLE 5`)
      .toSorted(),
  )
  expect(answers.filter(({ took }) => took > patience)).toEqual([])
  for (const member of members) {
    for (const [status, send] of Object.values(asks)) {
      // A machine with too much to do may be late by itself.
      await expect.poll(async () => (await send(member)).status).toBe(status)
    }
    expect((await getSession(member)).json).toMatchObject({ user: { email: member.email } })
  }
  expect(await processIds()).toEqual(processes)
})

test.skipIf(missing !== undefined)(
  `[browser]${missing ? ` skipped: ${missing}` : ""} while the database hangs the example shows its own message, and the member stays signed in`,
  async () => {
    await using browser = await openBrowser("")
    await using context = await browser.newContext()
    const page = await context.newPage()
    page.setDefaultTimeout(120_000)
    const status = (text: string) => page.getByRole("status").getByText(text).waitFor()
    const sentence = "We cannot answer just now. Nothing is lost: try again in a moment."
    const waitForSentence = () => page.getByRole("alert").getByText(sentence).waitFor()
    const submit = (form: string) => page.locator(`#${form} button:not([type])`).click()
    const field = (form: string, name: string) => page.locator(`#${form} [name=${name}]`)
    const account = { name: "Mary", email: "mary@example.com", password: "seven quiet lakes" }

    await page.goto(frontEnd.url)
    for (const [name, value] of Object.entries(account)) await field("sign-up", name).fill(value)
    await submit("sign-up")
    await status("Signed in as Mary")
    const cookies = await context.cookies()
    await setFaults(local.cloudflare, [hang])
    await field("profile", "name").fill("Mary Shelley")
    await submit("profile")
    await waitForSentence()
    await status("Signed in as Mary")
    await page.locator("#sign-out").click()
    await waitForSentence()
    await page.reload()
    await waitForSentence()
    // The page does not say that the member is signed out, nor asks for a sign-in.
    await status("One moment")
    expect(await page.locator("#signed-out").isVisible()).toBe(false)
    expect(await context.cookies()).toEqual(cookies)

    await setFaults(local.cloudflare, [])
    await page.reload()
    await status("Signed in as Mary")
    await field("profile", "name").fill("Mary Shelley")
    await submit("profile")
    await status("Signed in as Mary Shelley")
    await page.locator("#sign-out").click()
    await status("Signed out")
  },
)
