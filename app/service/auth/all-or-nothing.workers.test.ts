import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind, copyBrowser, createBrowser } from "../../testing/browser.ts"
import { createInterruptedDatabase } from "../../testing/interrupted-database.ts"
import { mail, openMailbox } from "../../testing/mailbox.ts"
import { createPerson, password } from "../../testing/person.ts"

const newPassword = "another long password"
const attackers = "the password of mallory"

/** A member, whose requests may be interrupted right before a statement reaches the database. */
async function setUp() {
  const mailbox = openMailbox()
  const { database, interrupt, fail } = createInterruptedDatabase()
  const bound = bind(mail)
  const person = await createPerson(bound)
  const { email, browser } = person
  /** The same browser, whose Worker has the database that is interrupted. */
  const interrupted = copyBrowser(browser, { ...bound, DB: database })
  return {
    bound,
    person,
    mailbox,
    interrupted,
    interrupt,
    fail,
    resetToken: async () => {
      await createBrowser(bound).post("/api/auth/request-password-reset", { email })
      const link = await mailbox.linkOf(email, "Reset your password")
      return new URL(link).searchParams.get("token") ?? ""
    },
    reset: async (token: string, text = newPassword) =>
      (await createBrowser(bound).post("/api/auth/reset-password", { token, newPassword: text }))
        .status,
    isSignedIn: async (who = interrupted) =>
      (await (await who.get("/api/auth/get-session")).json()) !== null,
    actions: async () => {
      const { results } = await env.DB.prepare(
        "select action from audit_entry where subject_id = ? order by rowid",
      )
        .bind(person.id)
        .all<{ action: string }>()
      return results.map(({ action }) => action)
    },
  }
}

test("a session that has ended changes no password, and opens no other session, however early it asked", async () => {
  const set = await setUp()
  set.interrupt(/update "account"/, () =>
    env.DB.prepare("delete from session where user_id = ?").bind(set.person.id).run(),
  )
  const change = { currentPassword: password, newPassword, revokeOtherSessions: true }
  expect((await set.interrupted.post("/api/auth/change-password", change)).status).toBe(401)
  expect(await set.isSignedIn()).toBe(false)
  const { results } = await env.DB.prepare("select id from session where user_id = ?")
    .bind(set.person.id)
    .all()
  expect([results, await set.actions()]).toEqual([[], []])
})

test("A6: a reset link is good again after a reset that the database failed", async () => {
  const set = await setUp()
  const token = await set.resetToken()
  set.fail(/insert into "account"/)
  const failed = await set.interrupted.post("/api/auth/reset-password", { token, newPassword })
  expect(failed.status).toBeGreaterThanOrEqual(500)
  expect(await set.isSignedIn()).toBe(true)
  expect(await set.reset(token)).toBe(200)
  expect(await set.reset(token)).toBe(400)
  expect(await set.actions()).toEqual(["reset_password"])
})

test("a reset token that is redeemed twice at once sets one password", async () => {
  const set = await setUp()
  const token = await set.resetToken()
  const statuses: number[] = []
  set.interrupt(/insert into "account"/, async () => statuses.push(await set.reset(token)))
  const late = { token, newPassword: attackers }
  const second = await set.interrupted.post("/api/auth/reset-password", late)
  expect([statuses, second.status]).toEqual([[200], 400])
  expect(await set.actions()).toEqual(["reset_password"])
})

test.each(["delete-user", "unlink-account"])(
  "A43: a stolen session does not %s once a reset has ended it, however early it asked",
  async (path) => {
    const set = await setUp()
    const token = await set.resetToken()
    const identity = `insert into account (id, user_id, provider_id, account_id, issuer, created_at, updated_at)
      values (?1, ?2, 'idp', ?1, 'https://idp.example', 1, 1)`
    await env.DB.prepare(identity).bind(crypto.randomUUID(), set.person.id).run()
    // Of an address that is proven, a reset leaves the other ways in.
    const proven = env.DB.prepare("update user set email_verified = 1 where id = ?")
    await proven.bind(set.person.id).run()
    const statuses: number[] = []
    set.interrupt(/insert into "audit_entry"/, async () => statuses.push(await set.reset(token)))
    const late = await set.interrupted.post(`/api/auth/${path}`, { password, providerId: "idp" })
    expect([statuses, late.status]).toEqual([[200], 401])
    const { results } = await env.DB.prepare("select provider_id from account where user_id = ?")
      .bind(set.person.id)
      .all()
    expect(results).toHaveLength(2)
    expect(await set.actions()).toEqual(["reset_password"])
  },
)
