import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind, createBrowser } from "../../testing/browser.ts"
import { createMailbox } from "../../testing/mailbox.ts"
import { createNetwork } from "../../testing/network.ts"
import { createPerson, password, type Person } from "../../testing/person.ts"

test("where addresses are verified, nobody rises under one that is not, and everybody may fall", async () => {
  using _ = createNetwork({ "mail.example": createMailbox().remote })
  const [member, admin, owner] = [
    await createPerson(),
    await createPerson(bind(), "admin"),
    await createPerson(bind(), "owner"),
  ]
  await env.DB.prepare("update user set email_verified = 1 where id in (?, ?)")
    .bind(admin.id, owner.id)
    .run()
  const verifies = bind({ VERIFY_EMAIL: "true", MAIL_URL: "https://mail.example/send" })
  const enter = async ({ email }: Person) => {
    const browser = createBrowser(verifies)
    await browser.post("/api/auth/sign-in/email", { email, password })
    return async (name: string, body: object) => {
      const answer = await browser.post(`/api/v1/${name}`, body)
      return [answer.status, (await answer.json<{ code?: string }>()).code]
    }
  }
  const [asAdmin, asOwner] = [await enter(admin), await enter(owner)]
  const refused = [409, "MEMBER_NOT_VERIFIED"]
  const userId = member.id
  expect(await asAdmin("makeUserAdmin", { userId })).toEqual(refused)
  expect(await asOwner("changeRole", { userId, role: "owner" })).toEqual(refused)
  const entries = env.DB.prepare("select count(*) as n from audit_entry where subject_id = ?")
  expect(await entries.bind(userId).first("n")).toBe(0)
  await env.DB.prepare("update user set role = 'admin' where id = ?").bind(userId).run()
  expect(await asOwner("changeRole", { userId, role: "member" })).toEqual([200, undefined])
  await env.DB.prepare("update user set email_verified = 1 where id = ?").bind(userId).run()
  expect(await asAdmin("makeUserAdmin", { userId })).toEqual([200, undefined])
})
