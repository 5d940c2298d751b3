import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bindProduction } from "../../testing/browser.ts"
import { openMailbox } from "../../testing/mailbox.ts"
import { openPageAccount } from "../../testing/page-owner.ts"
import { createReader } from "../../testing/page-reader.ts"
import { password } from "../../testing/person.ts"
import { countRows } from "../../testing/rows.ts"

const path = "/admin/invitations"
const needed = "open the link of an invitation to this address"

/** A service that takes invited people alone, and an admin at its pages. */
async function setUp() {
  const mailbox = openMailbox()
  const bound = bindProduction({ PAGES: "true", LIMIT_EMAIL: undefined })
  const invited = { ...bound, SIGN_UP: "invited" }
  const { reader, email } = await openPageAccount(bound, { change: "role = 'admin'" })
  await reader.open(await mailbox.linkOf(email, "Verify your email address"))
  await reader.submit(await reader.open("/sign-in"), "sign-in", { email, password })
  const open = () => reader.open(path, { "sec-fetch-site": "same-origin" })
  const invite = async (guest: string) => reader.submit(await open(), "invite", { email: guest })
  const linkOf = (guest: string) => mailbox.linkOf(guest, "You have been invited")
  /** Opens the link as a guest, who can submit its form. */
  const arrive = async (link: string) => {
    const guest = createReader(invited)
    const page = await guest.open(link)
    const signUp = (as: string) =>
      guest.submit(page, "sign-up", { name: "Gus", email: as, password })
    return { guest, page, signUp }
  }
  return { bound, invited, email, reader, open, invite, linkOf, arrive }
}

function address() {
  return `guest-${crypto.randomUUID()}@example.com`
}

test("an admin invites an address, sees it listed, and its recipient becomes a member", async () => {
  const { open, invite, linkOf, arrive } = await setUp()
  const email = address()
  const invited = await invite(email)
  expect(invited.at).toBe(path)
  const listed = await open()
  expect(listed.text).toContain(email)
  const link = await linkOf(email)
  const token = new URL(link).searchParams.get("invitation") ?? ""
  // Only the email contains it.
  expect(listed.html).not.toContain(token)
  const { page, signUp, guest } = await arrive(link)
  expect(page.text).toContain("You have been invited")
  expect((await signUp(email)).at).toBe("/account")
  expect((await guest.open("/account")).text).toContain("(verified)")
  expect((await open()).text).not.toContain(email)
})

test("an invitation opens no account if it is used, revoked, expired or another's, or its admin is suspended", async () => {
  const { reader, email: admin, open, invite, linkOf, arrive } = await setUp()
  const [used, revoked, late] = [address(), address(), address()]
  const [unrelated, signedIn] = [address(), address()]
  for (const email of [used, revoked, late, unrelated, signedIn]) await invite(email)
  const refuse = async (email: string, link: string) => {
    const refused = await (await arrive(link)).signUp(email)
    expect(refused).toMatchObject({ status: 400, text: expect.stringContaining(needed) })
    expect(refused.html).toMatch(/id="sign-up-email"[^>]*aria-invalid="true"/)
    return countRows("user", "email", email)
  }
  expect((await (await arrive(await linkOf(used))).signUp(used)).at).toBe("/account")
  await env.DB.prepare("delete from user where email = ?").bind(used).run()
  expect(await refuse(used, await linkOf(used))).toBe(0)

  const id = "select id from invitation where email = ?"
  const invitationId = String(await env.DB.prepare(id).bind(revoked).first("id"))
  await reader.confirm(await open(), "revoke", { invitationId })
  expect(await refuse(revoked, await linkOf(revoked))).toBe(0)

  const expire = "update invitation set expires_at = 1 where email = ?"
  await env.DB.prepare(expire).bind(late).run()
  expect(await refuse(late, await linkOf(late))).toBe(0)
  expect(await refuse(address(), await linkOf(unrelated))).toBe(0)

  const suspend = env.DB.prepare("update user set suspended_at = ? where email = ?")
  await suspend.bind(Date.now(), admin).run()
  expect(await refuse(signedIn, await linkOf(signedIn))).toBe(0)
  await suspend.bind(null, admin).run()
  expect((await (await arrive(await linkOf(signedIn))).signUp(signedIn)).at).toBe("/account")
})

test("the form of invitations shows why it sent none", async () => {
  const { invite, email } = await setUp()
  const refused = await invite(email)
  expect(refused.html).toMatch(/id="invite-email"[^>]*aria-invalid="true"/)
  expect(refused.text).toContain("There is an account with this address")
  expect((await invite("nobody")).text).toContain("Please enter a valid email address")
  const often = address()
  for (let count = 0; count < 4; count += 1) await invite(often)
  expect((await invite(often)).text).toMatch(
    /Too many attempts. Try again in \d+ (?:seconds|minutes)/,
  )
})

test("the sign-up page asks for an invitation if one is needed; if sign-up is closed, no admin can invite", async () => {
  const { bound, invited, reader } = await setUp()
  expect((await createReader(invited).open("/sign-up")).text).toContain(needed)
  const closed = createReader({ ...bound, SIGN_UP: "closed" })
  for (const [name, value] of reader.browser.cookies) closed.browser.cookies.set(name, value)
  const page = await closed.open(path, { "sec-fetch-site": "same-origin" })
  expect(page.text).toContain("Sign-up is closed here")
  expect(page.html).not.toContain('value="invite"')
})
