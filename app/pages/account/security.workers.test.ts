import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind, bindProduction } from "../../testing/browser.ts"
import { openMailbox } from "../../testing/mailbox.ts"
import { openPageAccount, openPageOwner } from "../../testing/page-owner.ts"
import { createReader } from "../../testing/page-reader.ts"
import { password } from "../../testing/person.ts"

const open = { PAGES: "true", LIMIT_EMAIL: undefined, LIMIT_ADDRESS: undefined }

test("no event shows a member's action as another user's, including the sign-up", async () => {
  const mailbox = openMailbox()
  const { reader, email } = await openPageAccount(bindProduction(open))
  await reader.open(await mailbox.linkOf(email, "Verify your email address"))
  await reader.submit(await reader.open("/forgotten"), "send", { email })
  const reset = await reader.open(await mailbox.linkOf(email, "Reset your password"))
  const newPassword = "a newer long password"
  await reader.submit(reset, "reset", { newPassword })
  const form = await reader.open("/sign-in")
  await reader.submit(form, "sign-in", { email, password: "of a stranger" })
  const inside = await reader.submit(form, "sign-in", { email, password: newPassword })
  expect(inside.at).toBe("/account")
  const { text, html } = await reader.open("/account/activity")
  for (const sentence of [
    "password reset by a link in an email",
    "wrong password by someone not signed in",
    "signed in password by you",
    "account created password by a link in an email",
  ]) {
    expect(text).toContain(sentence)
  }
  expect(text).not.toMatch(/by an admin|by those who run/)
  expect(html).toContain('href="/account/password"')
})

test("equal events in a row are one line, with their number and the time of the first", async () => {
  const { reader, email, id } = await openPageAccount(bind(open))
  await env.DB.prepare("delete from audit_entry where subject_id = ?").bind(id).run()
  const actions = ["sign_in_refused", "sign_in_refused", "sign_out", "sign_in_refused"]
  await env.DB.batch(
    actions.map((action, at) =>
      env.DB.prepare(
        "insert into audit_entry (id, subject_id, action, created_at) values (?, ?, ?, ?)",
      ).bind(`merged_${at}_${email}`, id, action, Date.UTC(2026, 2, 1, 12, at)),
    ),
  )
  for (const path of ["/account/activity", "/account/security"]) {
    const { text } = await reader.open(path)
    expect(text).toMatch(
      /wrong password by [^×]*12:03[^×]*signed out by[^×]*12:02[^×]* 2 × wrong password by [^×]*12:00 PM UTC – [^×]*12:01 PM UTC/,
    )
  }
})

test("each sign-in method is one click from the page on security, and a member sees first what to do", async () => {
  const { reader } = await openPageOwner(bind(open))
  const page = await reader.open("/account/security")
  for (const path of ["password", "passkeys", "second-factor", "devices", "activity"]) {
    expect(page.html).toContain(`href="/account/${path}"`)
    const inner = await reader.open(`/account/${path}`)
    expect(inner.html).toMatch(/<a href="\/account\/security" aria-current="page">/)
  }
  expect(page.text).toContain("Needs your attention Verify the address of your account first.")
  await env.DB.exec("update user set email_verified = 1")
  const verified = await reader.open("/account/security")
  expect(verified.text).toContain("No second factor: anyone who has your password can sign in.")
})

test("an admin reads on a member's page whether they can sign in, and why not", async () => {
  const [owner, member] = [await openPageOwner(bind(open)), await openPageOwner(bind(open))]
  await member.set("role = 'member'")
  const reader = createReader(bind(open))
  const form = await reader.open("/sign-in")
  await reader.submit(form, "sign-in", { email: member.email, password })
  const read = async () => (await owner.open(`/admin/members/${member.id}`)).text
  const usual = await read()
  expect(usual).toContain("Can they sign in? Yes")
  expect(usual).toContain("Sign-in methods Password")
  expect(usual).toContain("signed in password by the member")
  // More than a page of the export has: the newest are shown.
  const older = `insert into audit_entry (id, actor_id, subject_id, action, created_at)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 250)
    select 'older-' || i || ?1, null, ?1, 'sign_in_refused', 1000 + i from n`
  await env.DB.prepare(older).bind(member.id).run()
  const later = await read()
  expect(later).toContain("signed in password by the member")
  expect(later).not.toContain("Last sign-in –")
  // Nothing is offered to be taken off that is not on.
  expect(usual).not.toContain("Take the second factor off")
  await member.set(`suspended_at = ${Date.now()}, suspended_for = 'abuse', second_factor_since = 1`)
  const suspended = await read()
  expect(suspended).toContain("No: the account is suspended.")
  expect(suspended).toContain("Take the second factor off")
  await env.DB.prepare("delete from account where user_id = ?").bind(member.id).run()
  expect(await read()).toContain("No: there is no sign-in method.")
})
