import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import { createAuthenticator, type Forged } from "../../../testing/authenticator.ts"
import { bind, copyBrowser, createBrowser } from "../../../testing/browser.ts"
import { stopClock } from "../../../testing/clock.ts"
import { createInterruptedDatabase } from "../../../testing/interrupted-database.ts"
import {
  add,
  answerFor,
  createPasskeyPerson,
  createProvenPerson,
  enter,
  stepUp,
} from "../../../testing/passkey-person.ts"
import { password } from "../../../testing/person.ts"
import { countRows } from "../../../testing/rows.ts"

const bound = bind({ LIMIT_ADDRESS: undefined, LIMIT_EMAIL: undefined })

const refused = { status: 401, code: "PASSKEY_REFUSED" }

function sessionsOf(id: string) {
  return countRows("session", "user_id", id)
}

function passkeysOf(id: string) {
  return countRows("passkey", "user_id", id)
}

const forgeries: Record<string, Forged> = {
  "of another origin": { origin: "http://localhost:4000" },
  "of an origin that begins like ours": { origin: "http://localhost:3000.example.com" },
  "from a page in a foreign frame": { crossOrigin: true },
  "for another rpId": { rpId: "example.com" },
  "for another challenge": { challenge: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" },
  "of the other kind of ceremony": { type: "webauthn.create" },
  "without verification of the user": { isVerified: false },
  "with a lower count": { count: 1 },
  "with the previous count": { count: 2 },
  "with a flipped bit": { isFlipped: true },
  "for another user": { userHandle: Buffer.from("user_somebody").toString("base64url") },
  "of an unknown credential": { id: "AAAAAAAAAAAAAAAAAAAAAA" },
}

test.each(Object.entries(forgeries))("an assertion %s opens nothing", async (_, forged) => {
  const person = await createPasskeyPerson(bound)
  expect(await enter(createBrowser(bound), person.key)).toMatchObject({ status: 200 })
  const before = await sessionsOf(person.id)
  const browser = createBrowser(bound)
  expect(await enter(browser, person.key, forged)).toMatchObject(refused)
  expect(await sessionsOf(person.id)).toBe(before)
  expect((await browser.get("/api/v1/getProfile")).status).toBe(401)
  expect(await stepUp(person.browser, person.key, forged)).toEqual(refused)
  // The right one still opens it.
  expect(await enter(browser, person.key)).toMatchObject({ status: 200 })
})

test.each(
  Object.entries(forgeries).filter(
    ([, { count, isFlipped, userHandle }]) => count === undefined && !isFlipped && !userHandle,
  ),
)("an attestation %s adds nothing", async (_, { type, id, ...forged }) => {
  if (id !== undefined) return
  const person = await createProvenPerson(bound)
  const key = await createAuthenticator()
  const kind = type === undefined ? {} : { type: "webauthn.get" }
  expect(await add(person.browser, key, { ...forged, ...kind })).toEqual(refused)
  expect(await passkeysOf(person.id)).toBe(0)
})

test("an assertion opens one session: not twice, in parallel, in another browser or after five minutes", async () => {
  const person = await createPasskeyPerson(bound)
  const browser = createBrowser(bound)
  const passkey = await answerFor("sign-in", browser, person.key)
  const send = (from: typeof browser) => from.post("/api/auth/sign-in/passkey", { passkey })
  expect((await send(createBrowser(bound))).status).toBe(401)
  const challenge = [...browser.cookies]
  const before = (await sessionsOf(person.id)) ?? 0
  const twins = [1, 2, 3].map(() => {
    const twin = createBrowser(bound)
    for (const [name, value] of challenge) twin.cookies.set(name, value)
    return twin
  })
  const statuses = (await Promise.all(twins.map(send))).map(({ status }) => status)
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 401, 401])
  expect(await sessionsOf(person.id)).toBe(before + 1)
  for (const [name, value] of challenge) browser.cookies.set(name, value)
  expect((await send(browser)).status).toBe(401)

  using _ = stopClock()
  const late = createBrowser(bound)
  const slow = await answerFor("sign-in", late, person.key)
  vi.setSystemTime(Date.now() + 5 * 60 * 1000 + 1000)
  expect((await late.post("/api/auth/sign-in/passkey", { passkey: slow })).status).toBe(401)
})

test("an authenticator that does not count opens nothing twice, either", async () => {
  const person = await createProvenPerson(bound)
  const key = await createAuthenticator({ counts: false })
  await add(person.browser, key)
  const browser = createBrowser(bound)
  const passkey = await answerFor("sign-in", browser, key)
  const cookies = [...browser.cookies]
  const send = () => browser.post("/api/auth/sign-in/passkey", { passkey })
  expect((await send()).status).toBe(200)
  for (const [name, value] of cookies) browser.cookies.set(name, value)
  expect((await send()).status).toBe(401)
})

test("what was asked for one purpose is nothing for another", async () => {
  const person = await createPasskeyPerson(bound)
  const stepped = { passkey: await answerFor("step-up", person.browser, person.key) }
  expect((await person.browser.post("/api/auth/sign-in/passkey", stepped)).status).toBe(401)
  const signedIn = { passkey: await answerFor("sign-in", person.browser, person.key) }
  expect((await person.browser.post("/api/auth/step-up", signedIn)).status).toBe(401)
  const key = await createAuthenticator()
  const response = await person.browser.post("/api/auth/passkey/begin", { for: "add" })
  const { create } = await response.json<{ create: never }>()
  await person.browser.post("/api/auth/passkey/begin", { for: "sign-in" })
  const late = { passkey: key.create(create), name: "Key" }
  expect((await person.browser.post("/api/auth/passkey/add", late)).status).toBe(401)
  expect(await passkeysOf(person.id)).toBe(1)
})

test("a passkey of one account is added to no other, and shows nothing there", async () => {
  const [owner, stranger] = [await createPasskeyPerson(bound), await createPasskeyPerson(bound)]
  expect(await add(stranger.browser, owner.key)).toEqual(refused)
  expect(await stepUp(stranger.browser, owner.key)).toEqual(refused)
  expect(await enter(createBrowser(bound), owner.key)).toMatchObject({ status: 401 })
  // The challenge of one member, in the session of another.
  const key = await createAuthenticator()
  const { create } = await (
    await owner.browser.post("/api/auth/passkey/begin", { for: "add" })
  ).json<{ create: never }>()
  const thief = copyBrowser(stranger.browser, bound)
  for (const [name, value] of owner.browser.cookies) {
    if (name.endsWith("passkey_challenge")) thief.cookies.set(name, value)
  }
  const body = { passkey: key.create(create), name: "Key" }
  expect((await thief.post("/api/auth/passkey/add", body)).status).toBe(401)
  const { body: listed } = await owner.get("listWays")
  const [{ id: passkeyId }] = Object(listed["passkeys"])
  expect(await stranger.post("removePasskey", { passkeyId })).toMatchObject({ status: 404 })
  expect(await stranger.post("renamePasskey", { passkeyId, name: "x" })).toMatchObject({
    status: 404,
  })
  expect([await passkeysOf(owner.id), await passkeysOf(stranger.id)]).toEqual([1, 1])
})

test("of two requests at once that remove the last two ways, one is refused", async () => {
  const person = await createPasskeyPerson(bound)
  await add(person.browser, await createAuthenticator())
  await env.DB.prepare("delete from account where user_id = ?").bind(person.id).run()
  const { body } = await person.get("listWays")
  const ids = Object(body["passkeys"]).map(({ id }: { id: string }) => id)
  const answers = await Promise.all(
    ids.map((passkeyId: string) =>
      copyBrowser(person.browser, bound).post("/api/v1/removePasskey", { passkeyId }),
    ),
  )
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
  expect(await passkeysOf(person.id)).toBe(1)
})

test("a suspended member is told so by the right passkey alone, and gets no session", async () => {
  const person = await createPasskeyPerson(bound)
  await env.DB.batch([
    env.DB.prepare("delete from session where user_id = ?").bind(person.id),
    env.DB.prepare("update user set suspended_at = 1, suspended_for = 'abuse' where id = ?").bind(
      person.id,
    ),
  ])
  expect(await enter(createBrowser(bound), person.key, { isFlipped: true })).toMatchObject(refused)
  expect(await enter(createBrowser(bound), person.key)).toMatchObject({
    status: 403,
    code: "ACCOUNT_SUSPENDED",
  })
  expect(await sessionsOf(person.id)).toBe(0)
})

test.each([
  ["removed", "delete from passkey where user_id = ?"],
  ["used by its copy", "update passkey set count = 90 where user_id = ?"],
  ["suspended with its account", "update user set suspended_at = 1 where id = ?"],
  ["deleted with its account", "delete from user where id = ?"],
])("a passkey that is %s while it is checked opens nothing", async (_, change) => {
  const person = await createPasskeyPerson(bound)
  await env.DB.prepare("delete from session where user_id = ?").bind(person.id).run()
  const { database: DB, interrupt, isDone } = createInterruptedDatabase()
  const browser = createBrowser({ ...bound, DB })
  interrupt(/insert into "session"/, () => env.DB.prepare(change).bind(person.id).run())
  expect(await enter(browser, person.key)).toMatchObject(refused)
  expect([isDone(), await sessionsOf(person.id)]).toEqual([true, 0])
})

test("a session without a fresh proof, or that has ended, adds nothing", async () => {
  const person = await createProvenPerson(bound)
  const key = await createAuthenticator()
  await env.DB.prepare("update session set proven_at = 1 where user_id = ?").bind(person.id).run()
  expect(await add(person.browser, key)).toEqual({ status: 403, code: "STEP_UP_REQUIRED" })
  await person.browser.post("/api/auth/step-up", { password })
  const { database: DB, interrupt } = createInterruptedDatabase()
  const interrupted = copyBrowser(person.browser, { ...bound, DB })
  interrupt(/insert into "passkey"/, () =>
    env.DB.prepare("delete from session where user_id = ?").bind(person.id).run(),
  )
  expect(await add(interrupted, key)).toEqual({ status: 401, code: "UNAUTHORIZED" })
  expect(await passkeysOf(person.id)).toBe(0)
})

test("a passkey of another environment's keys, or none, is refused", async () => {
  const person = await createPasskeyPerson(bound)
  const browser = createBrowser(bound)
  const passkey = await answerFor("sign-in", browser, person.key)
  const rotated = createBrowser({
    ...bound,
    AUTH_SECRET: "another-secret-of-the-tests-and-nothing-else",
  })
  for (const [name, value] of browser.cookies) rotated.cookies.set(name, value)
  expect((await rotated.post("/api/auth/sign-in/passkey", { passkey })).status).toBe(401)
  const wrong = { ...passkey, response: { ...passkey.response, userHandle: undefined } }
  const answer = await browser.post("/api/auth/sign-in/passkey", { passkey: wrong })
  expect(answer.status).toBe(400)
})
