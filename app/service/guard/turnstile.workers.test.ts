import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import { bind, createBrowser } from "../../testing/browser.ts"
import { createCountingDatabase } from "../../testing/counting-database.ts"
import { mail, openMailbox } from "../../testing/mailbox.ts"
import type { Remote } from "../../testing/network.ts"
import { createReader } from "../../testing/page-reader.ts"
import { createPerson, password } from "../../testing/person.ts"
import { createSmokeAddress, smokeKey } from "../../testing/smoke-account.ts"
import { createTurnstile } from "../../testing/turnstile.ts"
import { offeredPaths, takesTurnstile } from "../routes/endpoints.ts"
import { turnstileAction } from "./turnstile.ts"

function open(changes: object = {}) {
  const turnstile = createTurnstile()
  const mailbox = openMailbox({ [turnstile.host]: turnstile.remote })
  const counting = createCountingDatabase(env.DB)
  const bound = bind({
    DB: counting.database,
    ...mail,
    SMOKE_KEY: smokeKey,
    ...turnstile.bindings,
    ...changes,
  })
  return { turnstile, mailbox, counting, bound }
}

type Set = ReturnType<typeof open>

function account(changes: object = {}) {
  return { name: "Ada", email: `${crypto.randomUUID()}@example.com`, password, ...changes }
}

const paths = offeredPaths.map(({ path }) => path).filter(takesTurnstile)

async function post({ bound }: Set, path: string, changes: object = {}) {
  const answer = await createBrowser(bound).post(`/api/auth${path}`, account(changes))
  const { code } = await answer.json<{ code?: string }>()
  return { status: answer.status, code, after: answer.headers.get("retry-after") }
}

const refused = { status: 403, code: "TURNSTILE_REFUSED", after: null }
const unavailable = { status: 503, code: "TURNSTILE_UNAVAILABLE", after: "5" }

test.each(paths)("%s takes a token of its own action, and of no other", async (path) => {
  const set = open()
  const { turnstile } = set
  const ownAction = turnstileAction(path)
  const otherActions = [
    ...paths.filter((candidate) => candidate !== path).map(turnstileAction),
    "",
    ownAction.toUpperCase(),
  ]
  const statements = await set.counting.during(async () => {
    for (const action of otherActions) {
      expect(await post(set, path, { turnstile: turnstile.pass(action) })).toEqual(refused)
    }
  })
  expect(statements).toEqual([])
  expect((await post(set, path, { turnstile: turnstile.pass(ownAction) })).status).toBe(200)
  expect(turnstile.asked.map((form) => form.get("secret"))).toContain("turnstile-secret")
})

test("these paths take one, and no sign-in does", async () => {
  const set = open()
  set.turnstile.answers(() => new Response("down", { status: 503 }))
  expect(paths.toSorted()).toEqual([
    "/request-password-reset",
    "/send-verification-email",
    "/sign-up/email",
  ])
  const { email } = await createPerson({ ...set.bound, TURNSTILE_SITE_KEY: undefined })
  const signIn = await createBrowser(set.bound).post("/api/auth/sign-in/email", { email, password })
  expect([signIn.status, set.turnstile.asked]).toEqual([200, []])
})

test("a token works once, also where its first use was refused for another reason", async () => {
  const set = open()
  const token = set.turnstile.pass("sign-up-email")
  const path = "/sign-up/email"
  expect((await post(set, path, { turnstile: token })).status).toBe(200)
  expect(await post(set, path, { turnstile: token })).toEqual(refused)
  const shared = set.turnstile.pass("sign-up-email")
  const answers = await Promise.all([1, 2].map(() => post(set, path, { turnstile: shared })))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 403]))
})

const strangers = [
  "evil.example",
  "localhost.evil.example",
  "",
  "LOCALHOST",
  "http://localhost:3000",
]

test.each(strangers)("a token that was created on %j is rejected", async (hostname) => {
  const set = open()
  const turnstile = set.turnstile.pass("sign-up-email", hostname)
  expect(await post(set, "/sign-up/email", { turnstile })).toEqual(refused)
})

test("no token, an empty one and none at all are refused without a question", async () => {
  const set = open()
  for (const path of paths) {
    expect(await post(set, path)).toEqual(refused)
    expect(await post(set, path, { turnstile: "" })).toEqual(refused)
    const wrong = { status: 400, code: "BAD_REQUEST", after: null }
    expect(await post(set, path, { turnstile: "x".repeat(3000) })).toEqual(wrong)
    expect(await post(set, path, { turnstile: ["a"] })).toEqual(wrong)
  }
  expect(set.turnstile.asked).toEqual([])
})

function endless() {
  const chunk = new Uint8Array(4096).fill(32)
  return new ReadableStream({ pull: (controller) => controller.enqueue(chunk) })
}

const success = { success: true, action: "sign-up-email", hostname: "localhost" }

const outages: Record<string, Remote> = {
  "is down": () => new Response("down", { status: 503 }),
  redirects: () =>
    new Response(null, { status: 302, headers: { location: "https://evil.example" } }),
  "answers with a page": () => new Response("<!doctype html>"),
  "answers without a verdict": () => Response.json({ action: "sign-up-email" }),
  "answers yes, and that it has failed": () =>
    Response.json({ ...success, "error-codes": ["internal-error"] }),
  "does not know the secret": () =>
    Response.json({ success: false, "error-codes": ["invalid-input-secret"] }),
  "answers 300 KiB": () => Response.json({ ...success, cdata: "x".repeat(300 * 1024) }),
  "answers without end": () => new Response(endless()),
  "cannot be reached": () => {
    throw new TypeError("refused")
  },
}

test.each(Object.entries(outages))(
  "while Turnstile %s, sign-up is refused, and the log says why",
  async (_, remote) => {
    const set = open()
    using logged = vi.spyOn(console, "error")
    set.turnstile.answers(remote)
    const turnstile = set.turnstile.pass("sign-up-email")
    expect(await post(set, "/sign-up/email", { turnstile })).toEqual(unavailable)
    const lines = logged.mock.calls.map(([text]) => String(text)).join("\n")
    expect(lines).toContain("turnstile.unavailable")
    expect(lines).not.toContain(turnstile)
    expect(lines).not.toContain("turnstile-secret")
  },
)

test("a release's own sign-up passes without a token, and a reserved address alone does not", async () => {
  const set = open()
  const { email, headers } = createSmokeAddress()
  const send = async (smokeHeaders: Record<string, string>) =>
    (
      await createBrowser(set.bound).post(
        "/api/auth/sign-up/email",
        account({ email }),
        smokeHeaders,
      )
    ).status
  expect(await send({ "accounts-smoke-code": "00" })).toBe(403)
  expect(await send(headers)).toBe(200)
  expect(set.turnstile.asked).toEqual([])
})

test("settings contain the site key, and never the secret", async () => {
  const set = open()
  const answer = await createBrowser(set.bound).get("/api/v1/settings")
  const text = await answer.text()
  expect(JSON.parse(text)).toMatchObject({ turnstile: { siteKey: "site-key" } })
  expect(text).not.toContain("turnstile-secret")
  const off = await createBrowser({ ...set.bound, TURNSTILE_SITE_KEY: undefined }).get(
    "/api/v1/settings",
  )
  expect(await off.json()).not.toHaveProperty("turnstile")
})

test("a site key without its secret is no configuration", async () => {
  const set = open({ TURNSTILE_SECRET: undefined })
  expect((await post(set, "/sign-up/email")).code).toBe("SERVICE_MISCONFIGURED")
})

test("the pages show the widget in its forms alone, and allow its scripts there alone", async () => {
  const set = open({ PAGES: "true", AUTH_URL: "http://localhost:8787" })
  const reader = createReader(set.bound)
  const page = await reader.open("/sign-up")
  expect(page.html).toContain('data-sitekey="site-key" data-action="sign-up-email"')
  const allowed =
    /script-src http:\/\/localhost:8787\/pages-[\w-]{12}\.js https:\/\/challenges\.cloudflare\.com; frame-src https:\/\/challenges\.cloudflare\.com;/
  const policyOf = (shownPage: { headers: Headers }) =>
    shownPage.headers.get("content-security-policy")
  expect(policyOf(page)).toMatch(allowed)
  for (const path of ["/sign-up/sent", "/verify/again", "/forgotten"]) {
    expect((await reader.open(path)).html).toContain("cf-turnstile")
  }
  const signIn = await reader.open("/sign-in")
  expect(policyOf(signIn)).not.toContain("challenges.cloudflare.com")
  expect(signIn.html).not.toContain("turnstile")
  const off = await createReader({ ...set.bound, TURNSTILE_SITE_KEY: undefined }).open("/sign-up")
  expect(policyOf(off)).not.toContain("challenges.cloudflare.com")
  expect(off.html).not.toContain("turnstile")

  const filled = { name: "Ada", email: `${crypto.randomUUID()}@example.com`, password }
  const failed = await reader.submit(page, "sign-up", filled)
  expect(failed.text).toContain("Please pass the check below the form.")
  const turnstile = set.turnstile.pass("sign-up-email")
  const done = await reader.submit(page, "sign-up", { ...filled, turnstile })
  expect(done.status).toBe(200)
  expect(done.html).not.toContain("cf-turnstile")
})
