import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind, createBrowser } from "../../testing/browser.ts"
import { createFactorPerson } from "../../testing/factor-person.ts"
import { createInterruptedDatabase } from "../../testing/interrupted-database.ts"
import { createProvenPerson } from "../../testing/passkey-person.ts"
import { createPerson, password, type Person } from "../../testing/person.ts"
import { countRows } from "../../testing/rows.ts"

const minute = 60 * 1000

async function age({ id }: Person, by = 10 * minute) {
  const older = env.DB.prepare("update session set proven_at = proven_at - ? where user_id = ?")
  await older.bind(by, id).run()
}

function stepUp({ browser }: Person, body: object = { password }) {
  return browser.call("/api/auth/step-up", body)
}

function entriesOf({ id }: Person) {
  return countRows("audit_entry", "actor_id", id)
}

test("an admin's acts and looks at a member ask for a step-up after ten minutes, and leave no entry until then", async () => {
  const [owner, target] = [await createPerson(bind(), "owner"), await createPerson()]
  await age(owner)
  const before = await entriesOf(owner)
  const userId = target.id
  const required = {
    status: 403,
    body: { code: "STEP_UP_REQUIRED", data: { ways: ["password", "sign-in"] } },
  }
  const acts = [
    () => owner.post("grantPremium", { userId, until: null }),
    () => owner.get(`readMember?userId=${userId}`),
    () => owner.get(`getMemberAccess?userId=${userId}`),
  ]
  for (const act of acts) expect(await act()).toMatchObject(required)
  expect(await entriesOf(owner)).toBe(before)
  expect((await owner.get("listUsers")).status).toBe(200)
  expect((await stepUp(owner)).status).toBe(200)
  expect((await owner.post("grantPremium", { userId, until: null })).status).toBe(200)
  expect((await owner.get(`readMember?userId=${userId}`)).status).toBe(200)
})

test("a caller without the role is refused before a step-up is requested", async () => {
  const member = await createPerson()
  await age(member)
  const answers = [
    await member.post("grantPremium", { userId: member.id, until: null }),
    await member.get(`readMember?userId=${member.id}`),
    await member.get(`getMemberAccess?userId=${member.id}`),
  ]
  expect(answers.map(({ body }) => body["code"])).toEqual(answers.map(() => "FORBIDDEN"))
})

test("a wrong password proves nothing, ten of them keep the right one out, and a proof is this session's alone", async () => {
  const owner = await createPerson(bind(), "owner")
  const elsewhere = createBrowser(bind())
  await elsewhere.post("/api/auth/sign-in/email", { email: owner.email, password })
  await age(owner)
  expect(await stepUp(owner)).toMatchObject({ status: 200 })
  const read = await elsewhere.get(`/api/v1/readMember?userId=${owner.id}`)
  expect(await read.json()).toMatchObject({ code: "STEP_UP_REQUIRED" })
  for (let guess = 0; guess < 10; guess += 1) {
    const wrong = await stepUp(owner, { password: `guess ${guess}` })
    expect(wrong).toMatchObject({ body: { code: "INVALID_PASSWORD" } })
  }
  expect(await stepUp(owner)).toMatchObject({ body: { code: "TOO_MANY_ATTEMPTS" } })
})

test("a proof that a change of the password overtakes proves nothing", async () => {
  const { database: DB, interrupt } = createInterruptedDatabase()
  const person = await createPerson(bind({ DB }))
  await age(person, 20 * minute)
  const changed: number[] = []
  interrupt(/update "session" set "proven_at"/, async () => {
    const answer = await person.browser.post("/api/auth/change-password", {
      currentPassword: password,
      newPassword: "another password",
    })
    changed.push(answer.status)
  })
  expect(await stepUp(person)).toMatchObject({ body: { code: "INVALID_PASSWORD" } })
  expect(changed).toEqual([200])
  const response = await person.browser.post("/api/auth/delete-user", {})
  expect(await response.json()).toMatchObject({ code: "STEP_UP_REQUIRED" })
})

test("a change of the password proves again who knows it, and no second factor", async () => {
  const change = (person: Person, currentPassword: string, newPassword: string) =>
    person.browser.post("/api/auth/change-password", {
      currentPassword,
      newPassword,
      revokeOtherSessions: true,
    })
  const [plain, holder] = [await createProvenPerson(), await createFactorPerson()]
  for (const person of [plain, holder]) {
    await age(person, 9 * minute)
    expect((await change(person, password, "another password")).status).toBe(200)
    await age(person, 2 * minute)
  }
  expect((await plain.post("beginTotp", {})).status).toBe(200)
  expect(await holder.post("beginTotp", {})).toMatchObject({ body: { code: "STEP_UP_REQUIRED" } })
  const response = await change(holder, "another password", password)
  expect(await response.json()).toMatchObject({ code: "STEP_UP_REQUIRED" })
})

test("a step-up takes a session, and one that has ended meanwhile proves nothing", async () => {
  const signedOut = await createBrowser(bind()).post("/api/auth/step-up", { password })
  expect(signedOut.status).toBe(401)
  const { database: DB, interrupt } = createInterruptedDatabase()
  const person = await createPerson(bind({ DB }))
  interrupt(/update "session" set "proven_at"/, async () => {
    await env.DB.prepare("delete from session where user_id = ?").bind(person.id).run()
  })
  expect((await stepUp(person)).status).not.toBe(200)
})

test("an act that was refused while its session ended leaves nothing, although it had been proven", async () => {
  const { database: DB, interrupt } = createInterruptedDatabase()
  const owner = await createPerson(bind({ DB }), "owner")
  const person = await createPerson()
  interrupt(/insert into "audit_entry"/, async () => {
    await env.DB.prepare("update session set proven_at = null where user_id = ?")
      .bind(owner.id)
      .run()
  })
  const answer = await owner.post("grantPremium", { userId: person.id, until: null })
  expect(answer.status).toBe(403)
  const plan = env.DB.prepare("select plan from user where id = ?").bind(person.id)
  expect(await plan.first("plan")).toBe("free")
})
