import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import {
  type Authenticator,
  createAuthenticator,
  type Forged,
} from "../../../testing/authenticator.ts"
import { bind, copyBrowser, createBrowser } from "../../../testing/browser.ts"
import {
  add,
  answerFor,
  createPasskeyPerson,
  createProvenPerson,
  enter,
  stepUp,
} from "../../../testing/passkey-person.ts"

const bound = bind({ LIMIT_ADDRESS: undefined })

test("a passkey that was added opens the account by itself, as both factors, and counts on", async () => {
  const person = await createPasskeyPerson(bound)
  const browser = createBrowser(bound)
  expect(await enter(browser, person.key)).toMatchObject({ status: 200 })
  const opened = await (
    await browser.get("/api/auth/get-session")
  ).json<Record<string, Record<string, unknown>>>()
  expect(opened).toMatchObject({
    user: { id: person.id },
    session: { factor: "passkey", provenAt: expect.any(String), remembered: true },
  })
  expect(await enter(createBrowser(bound), person.key)).toMatchObject({ status: 200 })
  const row = await env.DB.prepare("select * from passkey where user_id = ?")
    .bind(person.id)
    .first()
  expect(row).toMatchObject({
    algorithm: -7,
    backed_up: 1,
    count: 3,
    name: "Telephone",
    transports: '["internal"]',
  })
  const { body } = await person.get("listSecurityEvents")
  expect(body["items"]).toMatchObject([
    { action: "sign_in", detail: "passkey" },
    { action: "sign_in", detail: "passkey" },
    { action: "passkey_added", detail: row?.["id"] },
  ])
})

test("an authenticator that does not count is taken each time", async () => {
  const person = await createProvenPerson(bound)
  const key = await createAuthenticator({ counts: false })
  expect(await add(person.browser, key)).toEqual({ status: 200 })
  for (const _ of [1, 2]) {
    expect(await enter(createBrowser(bound), key)).toMatchObject({ status: 200 })
  }
})

test("a passkey is renamed, removed after a step-up, and then opens nothing", async () => {
  const person = await createPasskeyPerson(bound)
  const { body } = await person.get("listWays")
  const [{ id: passkeyId }] = Object(body["passkeys"])
  expect(body["passkeys"]).toEqual([
    {
      id: passkeyId,
      name: "Telephone",
      backedUp: true,
      createdAt: expect.any(String),
      usedAt: null,
      removal: "allowed",
    },
  ])
  expect(await person.post("renamePasskey", { passkeyId, name: "Key" })).toMatchObject({
    status: 200,
    body: { name: "Key" },
  })
  await env.DB.prepare("update session set proven_at = 1 where user_id = ?").bind(person.id).run()
  expect(await person.post("removePasskey", { passkeyId })).toMatchObject({
    status: 403,
    body: { code: "STEP_UP_REQUIRED", data: { ways: ["passkey"] } },
  })
  expect(await stepUp(person.browser, person.key)).toEqual({ status: 200 })
  const elsewhere = createBrowser(bound)
  await enter(elsewhere, person.key)
  expect(await person.post("removePasskey", { passkeyId })).toMatchObject({ status: 200 })
  expect(await (await elsewhere.get("/api/auth/get-session")).json()).toBeNull()
  expect((await person.browser.get("/api/v1/getProfile")).status).toBe(200)
  expect(await enter(createBrowser(bound), person.key)).toMatchObject({ code: "PASSKEY_REFUSED" })
  expect(await person.post("removePasskey", { passkeyId })).toMatchObject({ status: 404 })
})

test("the list says to browsers which passkeys are left, and a refusal which one is not there, of no other", async () => {
  const person = await createPasskeyPerson(bound)
  const authenticator = await createAuthenticator()
  expect(await add(person.browser, authenticator)).toEqual({ status: 200 })
  const show = async (key: Authenticator, forged: Forged = {}) => {
    const { passkey } = await enter(createBrowser(bound), key, forged)
    return passkey.id
  }
  const [first, second] = [await show(person.key), await show(authenticator)]
  const accepted = async () => (await person.get("listWays")).body["acceptedPasskeys"]
  const signals = {
    rpId: expect.any(String),
    userId: Buffer.from(person.id).toString("base64url"),
  }
  expect(await accepted()).toEqual({ ...signals, allAcceptedCredentialIds: [first, second] })

  const refusal = async (forged: Forged) => {
    const browser = createBrowser(bound)
    const passkey = await answerFor("sign-in", browser, person.key, forged)
    return (await browser.post("/api/auth/sign-in/passkey", { passkey })).json()
  }
  const { body } = await person.get("listWays")
  const { rpId } = Object(body["acceptedPasskeys"])
  // A browser must not forget an existing passkey, whatever is wrong with its response.
  for (const forged of [{ isFlipped: true }, { userHandle: "eve" }, { isVerified: false }]) {
    expect(await refusal(forged)).toEqual({
      code: "PASSKEY_REFUSED",
      message: expect.any(String),
    })
  }
  const [{ id: passkeyId }] = Object(body["passkeys"])
  expect(await person.post("removePasskey", { passkeyId })).toMatchObject({ status: 200 })
  expect(await accepted()).toEqual({ ...signals, allAcceptedCredentialIds: [second] })
  expect(await refusal({})).toMatchObject({
    code: "PASSKEY_REFUSED",
    data: { unknownCredential: { rpId, credentialId: first } },
  })
})

test("only proven accounts have passkeys, and at most twenty", async () => {
  const passkeyPerson = await createPasskeyPerson(bound)
  await env.DB.prepare("update user set email_verified = 0, unproven_since = 1 where id = ?")
    .bind(passkeyPerson.id)
    .run()
  expect(await enter(createBrowser(bound), passkeyPerson.key)).toMatchObject({
    code: "PASSKEY_REFUSED",
  })
  const person = await createProvenPerson(bound)
  const change = env.DB.prepare("update user set email_verified = ? where id = ?")
  await change.bind(0, person.id).run()
  expect(await add(person.browser, await createAuthenticator())).toMatchObject({
    status: 403,
    code: "EMAIL_NOT_VERIFIED",
  })
  await change.bind(1, person.id).run()
  await env.DB.prepare(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 19)
     insert into passkey (id, user_id, credential_id, public_key, algorithm, name, created_at)
     select ?1 || i, ?1, ?1 || i, 'k', -7, 'n', 1 from n`,
  )
    .bind(person.id)
    .run()
  await env.DB.prepare("update session set factor = 'passkey' where user_id = ?")
    .bind(person.id)
    .run()
  const keys = [await createAuthenticator(), await createAuthenticator()]
  const answers = await Promise.all(
    keys.map(async (key) => {
      const browser = copyBrowser(person.browser, bound)
      return add(browser, key)
    }),
  )
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
  expect(await add(person.browser, await createAuthenticator())).toMatchObject({
    code: "TOO_MANY_PASSKEYS",
  })
})

test("a browser is not asked to create a passkey that would be rejected", async () => {
  const person = await createPasskeyPerson(bound)
  const begin = async () => {
    const answer = await person.browser.post("/api/auth/passkey/begin", { for: "add" })
    return { status: answer.status, ...(await answer.json<object>()) }
  }
  expect(await begin()).toMatchObject({ status: 200, create: expect.any(Object) })
  await env.DB.prepare("update session set proven_at = 1 where user_id = ?").bind(person.id).run()
  expect(await begin()).toMatchObject({
    status: 403,
    code: "STEP_UP_REQUIRED",
    data: { ways: ["passkey"] },
  })
})

test("where passkeys are off, none is asked for, taken or counted as a way", async () => {
  const off = bind({ PASSKEYS: "off", LIMIT_ADDRESS: undefined })
  const person = await createPasskeyPerson(bound)
  const atOff = copyBrowser(person.browser, off)
  expect(await atOff.call("/api/auth/passkey/begin", { for: "sign-in" })).toMatchObject({
    status: 403,
    body: { code: "PASSKEYS_OFF" },
  })
  const settings = await (await atOff.get("/api/v1/settings")).json()
  expect(settings).toMatchObject({ passkeys: false })
  expect(await (await createBrowser(bound).get("/api/v1/settings")).json()).toMatchObject({
    passkeys: true,
  })
})
