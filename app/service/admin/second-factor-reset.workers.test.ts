import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind, copyBrowser, createBrowser } from "../../testing/browser.ts"
import { begin, createFactorPerson, finish } from "../../testing/factor-person.ts"
import { createPasskeyPerson } from "../../testing/passkey-person.ts"
import { createPerson } from "../../testing/person.ts"

test("an owner takes a second factor off: the password opens the account again, and nothing of before does", async () => {
  const owner = await createPerson(bind(), "owner")
  const member = await createFactorPerson()
  const { id: userId } = member
  const trusted = createBrowser()
  await begin(trusted, member)
  await finish(trusted, { code: member.app.code(), trustBrowser: true })
  const halfway = createBrowser()
  await begin(halfway, member)

  expect(await owner.post("resetSecondFactor", { userId })).toMatchObject({
    status: 200,
    body: { id: userId },
  })
  for (const browser of [member.browser, trusted]) {
    expect(await (await browser.get("/api/auth/get-session")).json()).toBeNull()
  }
  const shown = await finish(halfway, { recoveryCode: member.recoveryCodes[0] })
  expect(shown).toMatchObject({ body: { code: "STEP_EXPIRED" } })
  expect(await begin(createBrowser(), member)).toMatchObject({
    status: 200,
    body: { user: { id: userId } },
  })
  const rows = env.DB.prepare(
    `select (select count(*) from second_factor where user_id = ?1) + (select count(*) from recovery_code where user_id = ?1)
      + (select count(*) from trusted_browser where user_id = ?1) as n`,
  )
  expect(await rows.bind(userId).first("n")).toBe(0)
  const entry = env.DB.prepare(
    "select action from audit_entry where actor_id = ? and subject_id = ?",
  )
  expect(await entry.bind(owner.id, userId).first("action")).toBe("reset_second_factor")
})

test("an admin takes none off, nor an owner their own", async () => {
  const [admin, owner] = [await createPerson(bind(), "admin"), await createPerson(bind(), "owner")]
  const member = await createFactorPerson()
  for (const [actor, userId] of [
    [admin, member.id],
    [owner, owner.id],
  ] as const) {
    const { status, body } = await actor.post("resetSecondFactor", { userId })
    expect([status, body["code"]]).toEqual([403, "FORBIDDEN"])
  }
  const since = env.DB.prepare("select second_factor_since from user where id = ?")
  expect(await since.bind(member.id).first("second_factor_since")).not.toBeNull()
})

test.each(["none", "everybody"] as const)(
  "a lost passkey that is all an account has for a factor goes, where one is required of %s",
  async (whose) => {
    const owner = await createFactorPerson()
    await env.DB.prepare("update user set role = 'owner' where id = ?").bind(owner.id).run()
    const bound = bind({ REQUIRE_SECOND_FACTOR: whose })
    const there = copyBrowser(owner.browser, bound)
    const { id: userId, ...member } = await createPasskeyPerson()
    expect((await there.post("/api/v1/resetSecondFactor", { userId })).status).toBe(200)
    const rows = env.DB.prepare("select count(*) as n from passkey where user_id = ?").bind(userId)
    expect(await rows.first("n")).toBe(0)
    const again = createBrowser(bound)
    expect((await begin(again, member)).status).toBe(200)
    expect((await again.post("/api/v1/beginTotp", {})).status).toBe(200)
  },
)
