import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import { bind, createBrowser } from "../../testing/browser.ts"
import { createCountingDatabase } from "../../testing/counting-database.ts"
import { createLeaks, hashOf } from "../../testing/leaked-passwords.ts"
import { mail, openMailbox } from "../../testing/mailbox.ts"
import type { Remote } from "../../testing/network.ts"
import { createPerson, password } from "../../testing/person.ts"
import { createSmokeAddress, smokeKey } from "../../testing/smoke-account.ts"
import { newPasswordsOf, offeredPaths } from "../routes/endpoints.ts"

const leaked = "correct horse battery staple"
const refusal = {
  code: "PASSWORD_BREACHED",
  message: expect.any(String),
  data: { issues: [expect.objectContaining({ message: expect.stringContaining("leak") })] },
}

function open(changes: object = {}) {
  const leaks = createLeaks(leaked)
  const mailbox = openMailbox({ [leaks.host]: leaks.remote })
  const counting = createCountingDatabase(env.DB)
  const bound = bind({
    DB: counting.database,
    ...mail,
    SMOKE_KEY: smokeKey,
    ...leaks.bindings,
    ...changes,
  })
  return { leaks, mailbox, counting, bound }
}

function account(changes: object = {}) {
  return { name: "Ada", email: `${crypto.randomUUID()}@example.com`, password, ...changes }
}

async function read(answer: Response) {
  return { status: answer.status, body: await answer.json<{ code?: string }>() }
}

test("every route that sets a password rejects a leaked one, and spends nothing", async () => {
  const set = open({ VERIFY_EMAIL: "false" })
  const tokenOf = async (path: string, subject: string) => {
    const { email, browser } = await createPerson(set.bound)
    await browser.post(`/api/auth/${path}`, { email })
    const link = new URL(await set.mailbox.linkOf(email, subject))
    return link.searchParams.get("token") ?? link.pathname.split("/").at(-1)
  }
  const reset = await tokenOf("request-password-reset", "Reset your password")
  const verify = await tokenOf("send-verification-email", "Verify your email address")
  const { browser } = await createPerson(set.bound)
  const chosen: Record<string, [string, object, number?]> = {
    // They have a password: PASSWORD_EXISTS.
    "/set-password": ["newPassword", {}, 409],
    "/change-password": ["newPassword", { currentPassword: password }],
    "/reset-password": ["newPassword", { token: reset }],
    "/verify-email-with-password": ["newPassword", { token: verify }],
    "/sign-up/email": ["password", account()],
  }
  expect(
    offeredPaths
      .map(({ path }) => path)
      .filter((path) => newPasswordsOf(path).length > 0)
      .toSorted(),
  ).toEqual(Object.keys(chosen).toSorted())
  for (const [path, [field, body, status = 200]] of Object.entries(chosen)) {
    const choose = (word: string) => browser.post(`/api/auth${path}`, { ...body, [field]: word })
    const lookupsBefore = set.leaks.asked.length
    const statements = await set.counting.during(async () => {
      const refused = await read(await choose(leaked))
      expect([path, refused]).toEqual([path, { status: 400, body: refusal }])
      expect(refused.body).toMatchObject({ data: { issues: [{ path: [field] }] } })
    })
    expect([path, statements]).toEqual([path, []])
    expect([path, (await choose("a password without a leak")).status]).toEqual([path, status])
    expect(set.leaks.asked.length - lookupsBefore).toBe(2)
  }
})

test("a password that is only compared is not looked up, and none is if the check is off", async () => {
  const set = open()
  const { email, browser } = await createPerson({ ...set.bound, BREACHED_PASSWORDS: undefined })
  await createBrowser(set.bound).post("/api/auth/sign-in/email", { email, password: leaked })
  await browser.post("/api/auth/delete-user", { password: leaked })
  expect(set.leaks.asked).toEqual([])
})

test("five digits of the hash leave the service, with padding, and neither address nor cookie", async () => {
  const set = open()
  await createBrowser(set.bound).post("/api/auth/sign-up/email", account())
  const [request, ...requests] = set.leaks.asked
  expect(requests).toEqual([])
  expect(request?.url).toBe(`https://${set.leaks.host}/range/${hashOf(password).slice(0, 5)}`)
  expect(request && Object.fromEntries(request.headers)).toEqual({
    "add-padding": "true",
    "user-agent": "Accounts",
  })
  expect([request?.method, request?.body]).toEqual(["GET", null])
})

test("an entry of count 0 is padding, whatever its digits", async () => {
  const set = open()
  set.leaks.answers(() => new Response(`${hashOf(leaked).slice(5)}:0`))
  const answer = await createBrowser(set.bound).post(
    "/api/auth/sign-up/email",
    account({ password: leaked }),
  )
  expect(answer.status).toBe(200)
})

const line = `${"A".repeat(35)}:1\r\n`

function endless() {
  const chunk = new TextEncoder().encode(line.repeat(100))
  return new ReadableStream({ pull: (controller) => controller.enqueue(chunk) })
}

const outages: Record<string, Remote> = {
  "is down": () => new Response("down", { status: 503 }),
  "wants fewer requests": () => new Response("later", { status: 429 }),
  redirects: () => new Response(null, { status: 302, headers: { location: "/elsewhere" } }),
  "answers with a page": () => new Response("<!doctype html>"),
  "answers 300 KiB": () => new Response(line.repeat(Math.ceil((300 * 1024) / line.length))),
  "answers without end": () => new Response(endless()),
  "cannot be reached": () => {
    throw new TypeError("refused")
  },
  "does not answer": ({ signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason))
    }),
}

test.each(Object.entries(outages))(
  "a password passes while the list %s, and the log has a warning",
  async (_, remote) => {
    const set = open()
    using warned = vi.spyOn(console, "warn")
    set.leaks.answers(remote)
    const answer = await createBrowser(set.bound).post(
      "/api/auth/sign-up/email",
      account({ password: leaked }),
    )
    expect(answer.status).toBe(200)
    const lines = warned.mock.calls.map(([text]) => String(text))
    const warnings = lines.filter((text) => text.includes("breach.unavailable"))
    expect(warnings).toHaveLength(1)
    expect(warnings.join("")).not.toContain(hashOf(leaked).slice(0, 5))
  },
)

test("a release's own sign-up does not wait for the list", async () => {
  const set = open()
  const { email, headers } = createSmokeAddress()
  const body = account({ email, password: leaked })
  const browser = createBrowser(set.bound)
  expect((await browser.post("/api/auth/sign-up/email", body, headers)).status).toBe(200)
  expect(set.leaks.asked).toEqual([])
})

test("nowhere but on a developer's machine does a variable name another list", async () => {
  const elsewhere = { LOCAL_CHECKS: "https://evil.example" }
  const set = open({ ...elsewhere, ENVIRONMENT: "preview" })
  await createBrowser(set.bound).post("/api/auth/sign-up/email", account())
  expect(set.leaks.asked.map(({ url }) => new URL(url).host)).toEqual([set.leaks.host])
})

test("a password is measured and looked up as the hash takes it, whatever alphabet it is typed in", async () => {
  const set = open({ VERIFY_EMAIL: "false" })
  const wide = leaked.replaceAll(/[!-~]/g, (letter) =>
    String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0),
  )
  const signUp = async (chosen: string) => {
    const body = account({ password: chosen })
    return read(await createBrowser(set.bound).post("/api/auth/sign-up/email", body))
  }
  expect(await signUp(wide)).toMatchObject({ status: 400, body: refusal })
  // Seven characters: a decomposed accent does not count.
  expect((await signUp("pa\u0301sswor")).status).toBe(400)
  expect((await signUp("pa\u0301ssword")).status).toBe(200)
})
