import { createScheduledController } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import { createBrowser, webUrl } from "../../../testing/browser.ts"
import { createInterruptedDatabase } from "../../../testing/interrupted-database.ts"
import { createMailbox, mail } from "../../../testing/mailbox.ts"
import { createProvenPerson } from "../../../testing/passkey-person.ts"
import { createPerson } from "../../../testing/person.ts"
import { visitProvider } from "../../../testing/provider-visit.ts"
import worker from "../../../worker.ts"

const linked = "A sign-in method was added to your account"
const unlinked = "A sign-in method was removed from your account"

/** A member whose verified address the provider `idp` names, too. */
async function setUp() {
  const mailbox = createMailbox()
  const { database: DB, fail, interrupt } = createInterruptedDatabase()
  const state = { mailIsDown: false }
  const visit = await visitProvider({
    changes: { DB, ...mail },
    remotes: {
      "mail.example": (request) =>
        state.mailIsDown ? new Response(null, { status: 503 }) : mailbox.remote(request),
    },
  })
  const { bound, provider, start, finish } = visit
  const person = await createProvenPerson(bound)
  provider.forge({ claims: { sub: person.id, email: person.email } })
  const { browser } = person
  return {
    ...visit,
    mailbox,
    person,
    fail,
    interrupt,
    state,
    enter: async () => finish(provider.authorize(await start())),
    list: async () =>
      (await (await browser.get("/api/auth/list-accounts")).json<{ providerId: string }[]>()).map(
        ({ providerId }) => providerId,
      ),
    unlink: async (body: object) => {
      const response = await browser.post("/api/auth/unlink-account", body)
      const { code } = await response.json<{ code?: string }>()
      return { status: response.status, code }
    },
    subjects: () =>
      mailbox.emails.filter(({ to }) => to === person.email).map(({ subject }) => subject),
    actions: async () => {
      const { results } = await env.DB.prepare(
        "select action, detail from audit_entry where subject_id = ? and action like '%link%' order by action",
      )
        .bind(person.id)
        .all()
      return results
    },
  }
}

test("the owner of an account gets an e-mail when a provider's identity is linked to it", async () => {
  const { mailbox, enter, subjects } = await setUp()
  await enter()
  await mailbox.arrived(2)
  expect(subjects()).toContain(linked)
  expect(mailbox.emails.find(({ subject }) => subject === linked)?.text).toContain(
    "signing in with idp opens",
  )
  await enter()
  expect(subjects().filter((subject) => subject === linked)).toHaveLength(1)
})

test("repeated linking and unlinking sends three emails of each kind in an hour", async () => {
  const { mailbox, enter, unlink, subjects, actions } = await setUp()
  await mailbox.arrived(1)
  await enter()
  for (let round = 0; round < 6; round += 1) {
    await unlink({ providerId: "idp" })
    await env.DB.prepare("delete from removed_identity").run()
    await enter()
  }
  expect((await actions()).length).toBeGreaterThan(11)
  await vi.waitFor(() => expect(subjects()).toContain(unlinked))
  await scheduler.wait(300)
  const count = (which: string) => subjects().filter((subject) => subject === which).length
  expect([count(linked), count(unlinked)]).toEqual([3, 3])
})

test("a first sign-in with a provider links nothing, and says nothing", async () => {
  const { mailbox, provider, start, finish } = await setUp()
  await mailbox.arrived(1)
  const email = `new-${crypto.randomUUID()}@example.com`
  provider.forge({ claims: { sub: email, email } })
  await finish(provider.authorize(await start()))
  expect(mailbox.emails.filter(({ to }) => to === email)).toEqual([])
})

test("a linked identity is listed without its tokens, and removed with the sessions beside this one", async () => {
  const { person, enter, session, list, unlink, mailbox, subjects, actions } = await setUp()
  await enter()
  expect(await session()).toMatchObject({ user: { id: person.id } })
  expect(await list()).toEqual(["credential", "idp"])
  const listed = await (await person.browser.get("/api/auth/list-accounts")).text()
  expect(listed).not.toMatch(/token|hash|password/i)

  expect(await unlink({ providerId: "idp" })).toEqual({ status: 200, code: undefined })
  expect(await list()).toEqual(["credential"])
  expect(await session()).toBeNull()
  await mailbox.arrived(3)
  expect(subjects()).toContain(unlinked)
  expect(await actions()).toEqual([
    { action: "link_identity", detail: "idp" },
    { action: "unlink_identity", detail: "idp" },
  ])
})

test("the last sign-in method stays, even when two are removed at the same time", async () => {
  const { enter, list, unlink, actions } = await setUp()
  const last = { status: 400, code: "FAILED_TO_UNLINK_LAST_ACCOUNT" }
  expect(await unlink({ providerId: "credential" })).toMatchObject(last)
  await enter()
  const answers = await Promise.all([
    unlink({ providerId: "credential" }),
    unlink({ providerId: "idp" }),
  ])
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400])
  expect(await list()).toHaveLength(1)
  expect(await actions()).toHaveLength(2)
})

test("a sign-in method is removed, and another added, only after a step-up", async () => {
  const { enter, list, unlink, person } = await setUp()
  await enter()
  await env.DB.prepare("update session set proven_at = proven_at - 600000 where user_id = ?")
    .bind(person.id)
    .run()
  const stale = { status: 403, code: "STEP_UP_REQUIRED" }
  expect(await unlink({ providerId: "idp" })).toMatchObject(stale)
  const adding = await person.browser.post("/api/auth/link-social", { provider: "idp" })
  expect(await adding.json()).toMatchObject({
    code: "STEP_UP_REQUIRED",
    data: { ways: ["password", "sign-in"] },
  })
  expect(await list()).toEqual(["credential", "idp"])
  expect(
    (
      await person.browser.post("/api/auth/step-up", {
        password: person.password,
      })
    ).status,
  ).toBe(200)
  expect(await unlink({ providerId: "idp" })).toMatchObject({ status: 200 })
})

test("members remove only their own sign-in methods, and only with a session", async () => {
  const { bound, enter, list, unlink, person } = await setUp()
  await enter()
  const unknown = { status: 400, code: "ACCOUNT_NOT_FOUND" }
  expect(await unlink({ providerId: "other" })).toMatchObject(unknown)
  expect(await unlink({ providerId: "idp", accountId: "somebody-else" })).toMatchObject(unknown)
  expect(await unlink({})).toMatchObject({ status: 400, code: "BAD_REQUEST" })
  const body = { providerId: "idp", accountId: person.id }
  const stranger = await createPerson(bound)
  expect((await stranger.browser.post("/api/auth/unlink-account", body)).status).toBe(400)
  expect((await createBrowser(bound).post("/api/auth/unlink-account", body)).status).toBe(401)
  expect(await list()).toEqual(["credential", "idp"])
})

test.each(["a member's address", "a new address"])(
  "a provider that names %s signs in to that account, even if another member is signed in",
  async (whose) => {
    const { browser, bound, provider, person, enter, session } = await setUp()
    const before = await createPerson(bound)
    for (const [name, value] of before.browser.cookies) browser.cookies.set(name, value)
    expect(await session()).toMatchObject({ user: { id: before.id } })
    const sub = `new-${crypto.randomUUID()}`
    const fresh = { sub, email: `${sub}@example.com` }
    if (whose === "a new address") provider.forge({ claims: fresh })
    await enter()
    const email = whose === "a new address" ? fresh.email : person.email
    expect(await session()).toMatchObject({ user: { email } })
    // Nothing was linked to the account that was signed in.
    const statement = env.DB.prepare("select provider_id from account where user_id = ?")
    expect((await statement.bind(before.id).all()).results).toEqual([{ provider_id: "credential" }])
    const { results } = await env.DB.prepare("select user_id from account where account_id = ?")
      .bind(whose === "a new address" ? sub : person.id)
      .all()
    expect(results).not.toContainEqual({ user_id: before.id })
  },
)

test("A12: an identity is linked together with its audit entry and the pending email, or not at all", async () => {
  const { person, fail, enter, list, actions, subjects, mailbox, session } = await setUp()
  for (const part of [/insert into "account"/, /insert into "audit_entry"/, /"session"/]) {
    fail(part)
    expect(await enter()).toBe(`${webUrl}?error=unavailable`)
    expect(await list()).toEqual(["credential"])
    expect(await actions()).toEqual([])
    expect(await session()).toBeNull()
  }
  expect(await enter()).toBe(webUrl)
  expect(await session()).toMatchObject({ user: { id: person.id } })
  expect(await actions()).toEqual([{ action: "link_identity", detail: "idp" }])
  await mailbox.arrived(2)
  expect(subjects().filter((subject) => subject === linked)).toHaveLength(1)
})

test("an email that the mail service rejected is sent again, once", async () => {
  const { bound, state, enter, mailbox, subjects } = await setUp()
  await mailbox.arrived(1)
  state.mailIsDown = true
  await enter()
  const owed = () =>
    env.DB.prepare("select count(*) as n from audit_entry where letter_due is not null").first("n")
  expect(await owed()).toBe(1)
  state.mailIsDown = false
  const run = (minutes: number) =>
    worker.scheduled(
      createScheduledController({ scheduledTime: new Date(Date.now() + minutes * 60_000) }),
      bound,
    )
  // It may still be on its way.
  await run(5)
  expect(subjects()).not.toContain(linked)
  for (const minutes of [15, 20]) await run(minutes)
  expect(subjects().filter((subject) => subject === linked)).toHaveLength(1)
  await vi.waitFor(async () => expect(await owed()).toBe(0))
})

test("a sign-in whose identity is removed while it is under way opens nothing", async () => {
  const { interrupt, enter, unlink, session, actions } = await setUp()
  await enter()
  const removed: unknown[] = []
  interrupt(/insert into "session"/, async () => removed.push(await unlink({ providerId: "idp" })))
  expect(await enter()).toBe(`${webUrl}?error=account_not_linked`)
  expect(removed).toEqual([{ status: 200, code: undefined }])
  expect(await session()).toBeNull()
  expect(await actions()).toHaveLength(2)
})

test("A21: a password that its owner removed is not restored by an older email", async () => {
  const { bound, person, enter, unlink, mailbox } = await setUp()
  const { email } = person
  await enter()
  await createBrowser(bound).post("/api/auth/request-password-reset", { email })
  const reset = new URL(await mailbox.linkOf(email, "Reset your password"))
  expect(await unlink({ providerId: "credential" })).toMatchObject({ status: 200 })
  const body = { token: reset.searchParams.get("token"), newPassword: "another long password" }
  expect((await createBrowser(bound).post("/api/auth/reset-password", body)).status).toBe(400)
  await mailbox.arrived(4)
  const letter = mailbox.emails.find(({ subject }) => subject === unlinked)
  expect(letter?.text).toContain("Signing in with the password no longer opens your account")
})
