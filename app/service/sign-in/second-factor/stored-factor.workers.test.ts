import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { servicesOf } from "../../../services.ts"
import { bind, createBrowser } from "../../../testing/browser.ts"
import {
  begin,
  createFactorPerson,
  finish,
  insertFactors,
  later,
} from "../../../testing/factor-person.ts"
import { mail, openMailbox } from "../../../testing/mailbox.ts"
import { resetPassword } from "../../../testing/password-reset.ts"
import { createPerson } from "../../../testing/person.ts"
import { countRows } from "../../../testing/rows.ts"
import type { Env } from "../../platform/configuration/env.ts"
import { resealFactors } from "./reseal.ts"

const before = "a-factor-secret-of-before-the-rotation"
const after = "a-factor-secret-of-after-the-rotation"
const previous = bind({ FACTOR_SECRET: before })
const rotating = bind({ FACTOR_SECRET: after, FACTOR_SECRET_PREVIOUS: before })
const rotated = bind({ FACTOR_SECRET: after })

type Holder = Awaited<ReturnType<typeof createFactorPerson>>

function rowOf({ id }: Holder) {
  return env.DB.prepare("select * from second_factor where user_id = ?").bind(id).first()
}

async function enter(bound: Env, person: Holder, factor: object) {
  const browser = createBrowser(bound)
  await begin(browser, person)
  return (await finish(browser, factor)).status
}

async function reseal(bound: Env) {
  const services = servicesOf(bound)
  if (services === null) throw new Error("the bindings are wrong")
  await resealFactors(services)
}

test("what the previous secret sealed opens during a rotation, is sealed again by the hourly run, and opens after it", async () => {
  const person = await createFactorPerson(previous)
  const sealed = await rowOf(person)
  const code = person.app.code()
  expect(await enter(rotating, person, { code })).toBe(200)
  expect(await rowOf(person)).toMatchObject({ secret: sealed?.["secret"] })
  await reseal(rotating)
  const anew = await rowOf(person)
  expect(anew?.["secret"]).not.toBe(sealed?.["secret"])
  expect(anew?.["key_id"]).not.toBe(sealed?.["key_id"])
  // A code that was taken before the seal is not taken after it.
  expect(await enter(rotated, person, { code })).toBe(400)
  await later(person.id)
  expect(await enter(rotated, person, { code: person.app.code() })).toBe(200)
  await reseal(rotating)
  expect(await rowOf(person)).toMatchObject({ secret: anew?.["secret"] })
})

test.each([
  ["is gone", rotated],
  ["is another", bind({ FACTOR_SECRET: after, FACTOR_SECRET_PREVIOUS: `another-${before}` })],
  ["and the new one are gone", bind({ FACTOR_SECRET: undefined })],
])(
  "where the secret that has sealed an app %s, its codes open nothing and it is kept; a recovery code does",
  async (_title, bound) => {
    const person = await createFactorPerson(previous)
    const sealed = await rowOf(person)
    await reseal(bound)
    expect(await rowOf(person)).toEqual(sealed)
    expect(await enter(bound, person, { code: person.app.code() })).toBe(400)
    expect(await enter(bound, person, { recoveryCode: person.recoveryCodes[0] })).toBe(200)
    expect(await enter(previous, person, { code: person.app.code() })).toBe(200)
  },
)

test("a seal that names another key, or another member, than its own opens nothing, and is not sealed again", async () => {
  const person = await createFactorPerson(previous)
  const factorPerson = await createFactorPerson(rotated)
  const set = (column: string, value: unknown) =>
    env.DB.prepare(`update second_factor set ${column} = ?1 where user_id = ?2`)
      .bind(value, person.id)
      .run()
  const row = await rowOf(person)
  const foreign = await rowOf(factorPerson)
  await set("key_id", foreign?.["key_id"])
  expect(await enter(rotating, person, { code: person.app.code() })).toBe(400)
  await set("key_id", row?.["key_id"])
  await set("secret", foreign?.["secret"])
  await reseal(rotating)
  expect(await rowOf(person)).toMatchObject({ secret: foreign?.["secret"] })
  expect(await enter(rotating, person, { code: factorPerson.app.code() })).toBe(400)
})

test("until the time of a rotation the secret before seals, so a version that knows no other opens it", async () => {
  const at = (from: string) => ({ ...rotating, FACTOR_SECRET_FROM: from })
  const early = at(new Date(Date.now() + 60_000).toISOString())
  const person = await createFactorPerson(early)
  const sealed = await rowOf(person)
  await reseal(early)
  expect(await rowOf(person)).toEqual(sealed)
  await later(person.id)
  expect(await enter(previous, person, { code: person.app.code() })).toBe(200)
  await reseal(at(new Date(Date.now() - 60_000).toISOString()))
  await later(person.id)
  expect(await enter(previous, person, { code: person.app.code() })).toBe(400)
  expect(await enter(rotated, person, { code: person.app.code() })).toBe(200)
})

test("an isolate seals by the new secret once its time has come", async () => {
  const from = new Date(Date.now() + 1_000).toISOString()
  const bound = { ...rotating, FACTOR_SECRET_FROM: from }
  const [first] = servicesOf(bound)?.configuration.factorSecrets ?? []
  await expect
    .poll(() =>
      servicesOf(bound)?.configuration.factorSecrets.map((factorSecret) => factorSecret.reveal()),
    )
    .toEqual([after, before])
  expect(first?.reveal()).toBe(before)
})

const tables = ["second_factor", "recovery_code", "trusted_browser", "passkey"]

async function kept(id: string) {
  const counts = await Promise.all(
    tables.map((table) =>
      env.DB.prepare(`select count(*) as n from ${table} where user_id = ?`).bind(id).first("n"),
    ),
  )
  const since = env.DB.prepare("select second_factor_since as since from user where id = ?")
  return [...counts, (await since.bind(id).first("since")) === null ? 0 : 1]
}

/** Creates a person with each factor, and resets the password by email. */
async function reset({ isProven }: { isProven: boolean }) {
  const mailbox = openMailbox()
  const bound = bind(mail)
  const { id, email } = await createPerson(bound)
  await insertFactors(id)
  const proven = env.DB.prepare(
    "update user set email_verified = ?, unproven_since = null where id = ?",
  )
  await proven.bind(isProven ? 1 : 0, id).run()
  const owner = createBrowser(bound)
  const answer = await resetPassword(owner, mailbox, { email, newPassword: "another password" })
  expect(answer.status).toBe(200)
  return kept(id)
}

test("verifying an unverified account removes what a stranger set there: factors, codes, browsers, passkeys", async () => {
  expect(await reset({ isProven: false })).toEqual([0, 0, 0, 0, 0])
})

test("a reset of a proven account keeps its second factor and its passkeys, and trusts no browser any more", async () => {
  expect(await reset({ isProven: true })).toEqual([1, 2, 0, 1, 1])
})

const minute = 60 * 1000

/** Inserts a session like a version without second factors. */
function insert(userId: string, createdAt: number) {
  return env.DB.prepare(
    `insert into session (id, user_id, token, expires_at, created_at, updated_at)
     values (?1, ?2, ?1, ?3, ?4, ?4)`,
  ).bind(crypto.randomUUID(), userId, createdAt + 1000 * minute, createdAt)
}

test("a version that knows no factor opens no session of an account that has one, and its batch writes nothing", async () => {
  const { id } = await createPerson()
  const since = Date.now() - 10 * minute
  const on = env.DB.prepare("update user set second_factor_since = ? where id = ?").bind(since, id)
  await insert(id, Date.now()).run()
  await on.run()
  const batch = [
    env.DB.prepare("update user set name = 'changed' where id = ?").bind(id),
    insert(id, Date.now()),
  ]
  await expect(env.DB.batch(batch)).rejects.toThrow("asks for a second factor")
  const name = env.DB.prepare("select name from user where id = ?").bind(id)
  expect(await name.first("name")).not.toBe("changed")
})

test("a restore of the database inserts sessions from before the factor, and those that were shown it", async () => {
  const { id } = await createPerson()
  const since = Date.now() - 10 * minute
  const on = env.DB.prepare("update user set second_factor_since = ? where id = ?").bind(since, id)
  await on.run()
  await insert(id, since - 2 * minute).run()
  await env.DB.prepare(
    `insert into session (id, user_id, token, expires_at, created_at, updated_at, factor, proven_at)
     values (?1, ?2, ?1, ?3, ?4, ?4, 'totp', ?4)`,
  )
    .bind(crypto.randomUUID(), id, Date.now() + minute, Date.now())
    .run()
  expect(await countRows("session", "user_id", id)).toBe(3)
})
