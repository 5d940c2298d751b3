import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { servicesOf } from "../../../services.ts"
import { bind, createBrowser } from "../../../testing/browser.ts"
import { begin, createFactorPerson, finish, later } from "../../../testing/factor-person.ts"
import type { Env } from "../../configuration/env.ts"
import { resealFactors } from "./reseal.ts"

const before = "a-factor-secret-of-before-the-rotation"
const after = "a-factor-secret-of-after-the-rotation"
const former = bind({ FACTOR_SECRET: before })
const rotating = bind({ FACTOR_SECRET: after, FACTOR_SECRET_PREVIOUS: before })
const rotated = bind({ FACTOR_SECRET: after })

type Holder = Awaited<ReturnType<typeof createFactorPerson>>

function rowOf({ id }: Holder) {
  return env.DB.prepare("select * from second_factor where user_id = ?").bind(id).first()
}

async function enter(bound: Env, person: Holder, shown: object) {
  const browser = createBrowser(bound)
  await begin(browser, person)
  return (await finish(browser, shown)).status
}

async function reseal(bound: Env) {
  const services = servicesOf(bound)
  if (services === null) throw new Error("the bindings are wrong")
  await resealFactors(services)
}

test("what the secret before has sealed is opened during a rotation, sealed anew by the hourly run, and opened after it", async () => {
  const person = await createFactorPerson(former)
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
    const person = await createFactorPerson(former)
    const sealed = await rowOf(person)
    await reseal(bound)
    expect(await rowOf(person)).toEqual(sealed)
    expect(await enter(bound, person, { code: person.app.code() })).toBe(400)
    expect(await enter(bound, person, { recoveryCode: person.recoveryCodes[0] })).toBe(200)
    expect(await enter(former, person, { code: person.app.code() })).toBe(200)
  },
)

test("a seal that says another key, or another member, than its own opens nothing, and is not sealed anew", async () => {
  const person = await createFactorPerson(former)
  const other = await createFactorPerson(rotated)
  const set = (column: string, value: unknown) =>
    env.DB.prepare(`update second_factor set ${column} = ?1 where user_id = ?2`)
      .bind(value, person.id)
      .run()
  const own = await rowOf(person)
  const foreign = await rowOf(other)
  await set("key_id", foreign?.["key_id"])
  expect(await enter(rotating, person, { code: person.app.code() })).toBe(400)
  await set("key_id", own?.["key_id"])
  await set("secret", foreign?.["secret"])
  await reseal(rotating)
  expect(await rowOf(person)).toMatchObject({ secret: foreign?.["secret"] })
  expect(await enter(rotating, person, { code: other.app.code() })).toBe(400)
})

test("until the time of a rotation the secret before seals, so a version that knows no other opens it", async () => {
  const at = (from: string) => ({ ...rotating, FACTOR_SECRET_FROM: from })
  const early = at(new Date(Date.now() + 60_000).toISOString())
  const person = await createFactorPerson(early)
  const sealed = await rowOf(person)
  await reseal(early)
  expect(await rowOf(person)).toEqual(sealed)
  await later(person.id)
  expect(await enter(former, person, { code: person.app.code() })).toBe(200)
  await reseal(at(new Date(Date.now() - 60_000).toISOString()))
  await later(person.id)
  expect(await enter(former, person, { code: person.app.code() })).toBe(400)
  expect(await enter(rotated, person, { code: person.app.code() })).toBe(200)
})

test("an isolate seals by the new secret once its time has come", async () => {
  const from = new Date(Date.now() + 1_000).toISOString()
  const bound = { ...rotating, FACTOR_SECRET_FROM: from }
  const [first] = servicesOf(bound)?.configuration.factorSecrets ?? []
  await expect
    .poll(() => servicesOf(bound)?.configuration.factorSecrets.map((one) => one.reveal()))
    .toEqual([after, before])
  expect(first?.reveal()).toBe(before)
})
