import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind } from "../../testing/browser.ts"
import { openPageAccount } from "../../testing/page-owner.ts"
import { password } from "../../testing/person.ts"

const bound = bind({ PAGES: "true", LIMIT_EMAIL: undefined })

function openAccount(role: string, name: string) {
  return openPageAccount(bound, { name, change: `role = '${role}'` })
}

/** Reads the page after a form: it comes by a redirect, whose headers a browser sends again. */
async function after(open: (path: string) => Promise<{ text: string }>, at: string) {
  return (await open(at)).text
}

test("an admin finds a member by an address, grants premium and ends it, and the log has both", async () => {
  const member = await openAccount("member", "Mia")
  const admin = await openAccount("admin", "Ann")
  const results = await admin.open(`/admin?search=${encodeURIComponent(member.email)}`)
  expect(results.text).toContain(member.email)
  expect(results.text).not.toContain(admin.email.slice(0, 20))
  const formerEmail = `former-${member.email}`
  await env.DB.prepare(
    "insert into former_address (id, user_id, email, until) values (?1, ?1, ?2, ?3)",
  )
    .bind(member.id, formerEmail, Date.now() + 1000)
    .run()
  const hadIt = await admin.open(`/admin?search=${encodeURIComponent(formerEmail)}`)
  expect(hadIt.text).toContain(member.email)
  expect(hadIt.html.match(/href="\/admin\/members\//g)).toHaveLength(1)
  const path = `/admin/members/${member.id}`
  const page = await admin.open(path)
  expect(page.text).toMatch(/Mia[^]*free|Mia[^]*Free/)
  expect(page.html).not.toContain('value="role"')

  const past = await admin.reader.submit(page, "grant", { until: "2020-01-01" })
  expect(past).toMatchObject({ status: 400, text: expect.stringContaining("a day in the future") })
  const granted = await admin.reader.submit(page, "grant", { until: "2099-12-31" })
  expect(granted.at).toBe(path)
  expect(await after(admin.open, path)).toContain("until Dec 31, 2099")
  await admin.reader.confirm(await admin.open(path), "revokePremium")
  const log = await admin.open(`/admin/audit?about=${member.id}`)
  expect(log.html).toMatch(/<strong>premium ended[^]*<strong>premium granted[^]*<strong>data read/)
  const byAction = await admin.open(`/admin/audit?action=grant_premium&about=${member.id}`)
  expect(byAction.html).not.toMatch(/<strong>premium ended/)
  const unknown = await admin.open("/admin/audit?action=nothing")
  expect(unknown).toMatchObject({ status: 400, text: expect.stringContaining("Please check this") })
})

test("an admin cannot act on an owner, and an owner changes roles, but not their own", async () => {
  await env.DB.prepare("update user set role = 'member'").run()
  const owner = await openAccount("owner", "Ona")
  const admin = await openAccount("admin", "Ann")
  const refused = await admin.open(`/admin/members/${owner.id}`)
  expect(refused.text).toContain("You may not do this to this member")

  const member = await openAccount("member", "Mia")
  const path = `/admin/members/${member.id}`
  await owner.reader.confirm(await owner.open(path), "role", { role: "admin" })
  const role = "select role from user where id = ?"
  expect(await env.DB.prepare(role).bind(member.id).first("role")).toBe("admin")
  const profile = await owner.open(`/admin/members/${owner.id}`)
  expect(profile.text).toContain("You may not do this to this member")
})

test("an admin suspends a member, who alone learns why once they have proven who they are, and is let in again", async () => {
  const member = await openAccount("member", "Mia")
  const admin = await openAccount("admin", "Ann")
  const path = `/admin/members/${member.id}`
  await admin.reader.confirm(await admin.open(path), "suspend", { reason: "abuse" })
  expect(await after(admin.open, path)).toContain("Suspended for")
  // The session is over, and no other begins.
  const page = await member.reader.open("/account/devices")
  expect(page.at).toMatch(/^\/sign-in\?return=/)
  const signIn = (word = password) =>
    member.reader.submit(page, "sign-in", { email: member.email, password: word, stay: "on" })
  const stranger = await signIn("of a stranger")
  expect(stranger.text).toContain("Wrong address or password")
  expect([page.text, stranger.text].join()).not.toMatch(/suspended|breach/)
  const refused = await signIn()
  expect(refused.text).toContain("This account is suspended for a breach of the rules. Ask those")
  expect([...member.reader.browser.cookies.keys()].join()).not.toContain("session_token")
  await admin.reader.confirm(await admin.open(path), "unsuspendUser")
  expect(await after(admin.open, path)).not.toContain("Suspended for")
  expect((await signIn()).at).toBe("/account/devices")
})

test("an admin has an account deleted in seven days, once they are sure, and takes it back", async () => {
  const member = await openAccount("member", "Mia")
  const admin = await openAccount("admin", "Ann")
  const path = `/admin/members/${member.id}`
  const page = await admin.open(path)
  const unsure = await admin.reader.submit(page, "delete", { reason: "request" })
  expect(unsure.text).toContain(`Delete in seven days? Mia, ${member.email} It is suspended now`)
  expect(await after(admin.open, path)).not.toContain("Will be deleted")
  await admin.reader.submit(unsure, "delete")
  const scheduled = await after(admin.open, path)
  expect(scheduled).toContain("Will be deleted")
  expect(scheduled).toContain("At their request")
  await admin.reader.confirm(await admin.open(path), "cancelDeletion")
  const cancelled = await after(admin.open, path)
  expect(cancelled).not.toContain("Will be deleted")
  expect(cancelled).toContain("Suspended for")
})

test("on this machine a member learns how to become the first owner", async () => {
  const { open, email } = await openAccount("member", "Mia")
  const page = await open("/admin")
  expect(page).toMatchObject({ status: 404 })
  expect(page.text).toContain(`./accounts owner grant ${email} -s local --unverified`)
})

test("an admin finds a member by a last name, and the log calls both by their names", async () => {
  const [member, admin] = [await openAccount("member", "Mia"), await openAccount("admin", "Ann")]
  await env.DB.prepare("update user set name = 'Mia Quantock' where id = ?").bind(member.id).run()
  const results = await admin.open("/admin?search=quant")
  expect(results.html).toContain(`<a href="/admin/members/${member.id}">Mia Quantock</a>`)
  expect((await admin.open("/admin?search=nobody-at-all")).text).toContain("No member matches. Try")
  await admin.reader.submit(await admin.open(`/admin/members/${member.id}`), "grant")
  const about = `/admin/audit?action=grant_premium&about=${encodeURIComponent(member.email)}`
  const entry = `premium granted open end By: Ann ( ${admin.email}) About: Mia Quantock`
  expect((await admin.open(about)).text.replaceAll("(", "( ").replaceAll("(  ", "( ")).toContain(
    entry,
  )
  await member.reader.submit(await member.reader.open("/account/data"), "delete", {
    password,
    sure: "yes",
  })
  const entries = await admin.open(`/admin/audit?action=grant_premium&about=${member.id}`)
  expect(entries.text).toContain(`About: a deleted account (${member.id})`)
  const ofAdmin = await admin.open(`/admin/members/${admin.id}`)
  expect(ofAdmin.text).toContain("You may not do this to this member")
})

test("an admin lists members by status and role, in a form whose choice stays, and a member's page has their name", async () => {
  const [member, admin] = [await openAccount("member", "Mia"), await openAccount("admin", "Ann")]
  const set = "update user set suspended_at = 1, suspended_for = 'abuse' where id = ?"
  await env.DB.prepare(set).bind(member.id).run()
  const link = (id: string) => `href="/admin/members/${id}"`
  const suspended = await admin.open("/admin?search=&state=suspended&role=")
  expect(suspended.html).toContain(link(member.id))
  expect(suspended.html).not.toContain(link(admin.id))
  expect(suspended.html).toContain('<option value="suspended" selected="">')
  const admins = await admin.open("/admin?role=admin")
  expect(admins.html).toContain(link(admin.id))
  expect(admins.html).not.toContain(link(member.id))
  expect((await admin.open("/admin?state=deletion")).text).toContain("No member matches. Try")
  await env.DB.exec("update user set email_verified = 1")
  await env.DB.exec(
    `insert into user (id, email, email_verified, name, created_at, updated_at) with recursive n(i) as
     (select 1 union all select i + 1 from n where i < 1001)
     select 'n' || i, 'n' || i || '@example.com', 1, 'N', i, i from n`.replaceAll("\n", " "),
  )
  const empty = await admin.open("/admin?state=unverified")
  expect(empty.text).toContain("No member matches so far.")
  expect(empty.html).toMatch(/href="\/admin\?state=unverified&amp;cursor=/)
  const page = await admin.open(`/admin/members/${member.id}`)
  expect(page.html).toMatch(/<title>Mia –[^]*<h1>Mia<\/h1>/)
})
