import { createHmac } from "node:crypto"

import { SignJWT } from "jose"
import { expect, test, vi } from "vitest"

import { createBrowser } from "../../../testing/browser.ts"
import { stopClock } from "../../../testing/clock.ts"
import { collect, openKinds, secret, shared, uses, webUrl } from "../../../testing/signed-kinds.ts"
import { createKeys, type Kind, kinds } from "./keys.ts"
import { conceal } from "./secret.ts"

test.each([
  ["one secret", {}],
  [
    "a secret and the previous one",
    { AUTH_SECRET: `another-${secret}`, AUTH_SECRET_PREVIOUS: secret },
  ],
])(
  "with %s, what is signed or sealed is accepted as its own kind and as no other",
  async (_, secrets) => {
    const set = await openKinds()
    const collected = await collect(set)
    const values = Object.entries(collected.values)
    expect(values.filter(([, value]) => value === "")).toEqual([])
    const accepted: string[] = []
    for (const [as, use] of Object.entries(uses)) {
      for (const [kind, value] of values) {
        if (await use({ ...set.bound, ...secrets }, value, collected)) {
          accepted.push(`${kind} as ${as}`)
        }
      }
    }
    expect(accepted).toEqual(Object.keys(uses).map((kind) => `${kind} as ${kind}`))
  },
)

test("a link that the secret itself signed is none, nor one whose header names another way to seal", async () => {
  const set = await openKinds()
  const { values, email } = await collect(set)
  const claims = { email, user: "user_x", page: webUrl }
  const key = Buffer.from(secret)
  const signed = await new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).sign(key)
  const [, ...rest] = values.verification.split(".")
  const headers = [
    { alg: "dir", enc: "A128GCM" },
    { alg: "none" },
    { alg: "A256KW", enc: "A256GCM" },
  ]
  const altered = headers.map((header) =>
    [Buffer.from(JSON.stringify(header)).toString("base64url"), ...rest].join("."),
  )
  for (const token of [signed, ...altered]) {
    const body = { token, newPassword: "another long password" }
    const browser = createBrowser(set.bound, webUrl)
    const refused = await browser.post("/api/auth/verify-email-with-password", body)
    expect(await refused.json()).toMatchObject({ code: "INVALID_TOKEN" })
  }
})

test("only this service can create the cursor of an export", async () => {
  const set = await openKinds()
  const { values, member } = await collect(set)
  const unsigned = Buffer.from(JSON.stringify({ profile: 0 })).toString("base64url")
  const altered = values.export_cursor.replace(/(?<=\.)[^.](?=[^.]+$)/, (digit) =>
    digit === "A" ? "B" : "A",
  )
  for (const cursor of [unsigned, altered, `${values.export_cursor}x`, "."]) {
    const answer = await member.get(`/api/v1/exportData?cursor=${cursor}`)
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { code: "BAD_REQUEST", data: { issues: [{ path: ["cursor"] }] } },
    ])
  }
})

test("what one environment signed or sealed is nothing to another with the same secret", async () => {
  const set = await openKinds()
  const collected = await collect(set)
  const elsewhere = { ...set.bound, ENVIRONMENT: "staging" } as const
  // Its own session, for what only a member can try.
  const { other, values } = collected
  const member = createBrowser(elsewhere, webUrl)
  await member.post("/api/auth/sign-in/email", { ...other, rememberMe: false })
  for (const [kind, use] of Object.entries(uses)) {
    // A reset token is a row of the database, which both have here.
    if (kind === "reset") continue
    const value = Object.entries(values).find(([name]) => name === kind)?.[1] ?? ""
    expect([kind, await use(elsewhere, value, { ...collected, member })]).toEqual([kind, false])
  }
})

test("nothing is accepted once the lifetime of its kind is over", async () => {
  const set = await openKinds()
  const collected = await collect(set)
  using _clock = stopClock()
  const start = Date.now()
  const timed = Object.entries(kinds).flatMap(([kind, seconds]) => {
    const use = Object.entries(uses).find(([name]) => name === kind)?.[1]
    return seconds > 0 && use !== undefined ? [{ kind, seconds, use }] : []
  })
  expect(timed).toHaveLength(11)
  for (const { kind, seconds, use } of timed) {
    const value = Object.entries(collected.values).find(([name]) => name === kind)?.[1] ?? ""
    // It opens the page that says that the link has expired.
    if (kind === "reset_page") continue
    vi.setSystemTime(start + (seconds + 2) * 1000)
    const member = createBrowser(set.bound, webUrl)
    await member.post("/api/auth/sign-in/email", collected.other)
    const context = { ...collected, member }
    if (kind === "signed_up") {
      // A new email, so that only the mark is old.
      const { email, values } = collected
      const before = set.mailbox.emails.length
      await member.post("/api/auth/send-verification-email", { email })
      const letter = (await set.mailbox.arrived(before + 1))[before]?.text ?? ""
      context.values = { ...values, verification: /token=([\w.-]+)/.exec(letter)?.[1] ?? "" }
    }
    expect([kind, await use(set.bound, value, context)]).toEqual([kind, false])
  }
})

test("a session of a version that signed with the secret itself goes on, and gets a new signature", async () => {
  const set = await openKinds()
  const { values } = await collect(set)
  const [token = ""] = decodeURIComponent(values.session_token).split(".")
  const browser = createBrowser(set.bound, webUrl)
  const sign = (value: string) =>
    encodeURIComponent(`${value}.${createHmac("sha256", secret).update(value).digest("base64")}`)
  const name = shared("session_token", set.bound)
  browser.cookies.set(name, sign(token))
  expect(await (await browser.get("/api/auth/get-session")).json()).not.toBeNull()
  expect((await browser.get("/api/v1/getProfile")).status).toBe(200)
  await set.bound.DB.prepare("update session set expires_at = ?, remembered = 1")
    .bind(Date.now() + 60_000)
    .run()
  await browser.get("/api/auth/get-session")
  expect(browser.cookies.get(name)).not.toBe(sign(token))
  expect(decodeURIComponent(browser.cookies.get(name) ?? "").startsWith(`${token}.`)).toBe(true)
})

test("every kind has a key of its own, which neither another environment nor another secret has", () => {
  const derived: string[] = []
  for (const environment of ["staging", "production"]) {
    for (const word of [secret, `${secret}!`]) {
      const keys = createKeys({ secrets: [conceal(word)], environment, verifyEmail: true })
      for (const kind of Object.keys(kinds)) {
        const kindName = Object.keys(kinds).find((name): name is Kind => name === kind)
        derived.push(keys.first(kindName ?? "session"))
      }
    }
  }
  expect(new Set(derived).size).toBe(Object.keys(kinds).length * 4)
  expect(derived).not.toContain(secret)
})
