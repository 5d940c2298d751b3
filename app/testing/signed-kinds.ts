import { createHmac } from "node:crypto"

import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose"
import { expect } from "vitest"

import type { Env } from "../service/platform/configuration/env.ts"
import { createKeys } from "../service/platform/configuration/keys.ts"
import { conceal } from "../service/platform/configuration/secret.ts"
import { createApp } from "./authenticator-app.ts"
import { createAuthenticator } from "./authenticator.ts"
import { bindProduction, type Browser, copyBrowser, createBrowser } from "./browser.ts"
import { forgetAttempts } from "./clock.ts"
import { createIdentityProvider } from "./identity-provider.ts"
import { openMailbox } from "./mailbox.ts"
import { password } from "./person.ts"

export const webUrl = "https://app.example.com"
export const secret = "one-secret-for-all-environments-of-the-test"

let hosts = 0

export async function openKinds(changes: Partial<Env> = {}) {
  const host = `kinds-${(hosts += 1)}.example`
  const provider = await createIdentityProvider(host)
  const mailbox = openMailbox({ [host]: provider.remote })
  const bound = {
    ...bindProduction({ AUTH_SECRET: secret, LIMIT_EMAIL: undefined, LIMIT_ADDRESS: undefined }),
    IDENTITY_PROVIDERS: JSON.stringify({ idp: { issuer: provider.issuer, emailDomains: ["*"] } }),
    IDP_CLIENT_ID: "client-at-the-provider",
    TOKENS: JSON.stringify({ audiences: ["orders"] }),
    EMAIL_CODE: "on",
    ...changes,
  }
  return { mailbox, provider, bound }
}

type Opened = Awaited<ReturnType<typeof openKinds>>

/** Collects a value of each kind, as the service gave it to one person, and what is needed to use it. */
export async function collect({ mailbox, provider, bound }: Opened) {
  const email = `ada-${crypto.randomUUID()}@example.com`
  const credentials = { email, password }
  const waiting = createBrowser(bound, webUrl)
  await waiting.post("/api/auth/sign-up/email", { name: "Ada", ...credentials })
  const cookie = (browser: typeof waiting, kind: string) =>
    [...browser.cookies].find(([name]) => name.endsWith(kind)) ?? ["", ""]
  const signedUp = cookie(waiting, "signed_up")
  const link = new URL(await mailbox.linkOf(email, "Verify your email address"))

  const member = createBrowser(bound, webUrl)
  const eve = { email: `eve-${crypto.randomUUID()}@example.com`, password }
  await member.post("/api/auth/sign-up/email", { name: "Eve", ...eve })
  await member.open(await mailbox.linkOf(eve.email, "Verify your email address"))
  await member.post("/api/auth/sign-in/email", { ...eve, rememberMe: false })
  const redirectTo = `${webUrl}/a-page`
  await member.post("/api/auth/request-password-reset", { ...eve, redirectTo })
  const reset = new URL(await mailbox.linkOf(eve.email, "Reset your password"))
  const started = await createBrowser(bound, null).get("/api/auth/sign-in/idp")
  const state = started.headers.getSetCookie()[0]?.split(";")[0]?.split("=") ?? []
  const location = started.headers.get("location") ?? ""
  // A list of more rows than a page has leaves a cursor.
  const { user } = await (
    await member.get("/api/auth/get-session")
  ).json<{ user: { id: string } }>()
  await bound.DB.prepare(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 201)
     insert into audit_entry (id, subject_id, action, created_at)
     select 'audit_entry_' || hex(randomblob(8)), ?, 'read_member', 1 from n`,
  )
    .bind(user.id)
    .run()
  const page = await (await member.get("/api/v1/exportData")).json<{ nextCursor: string }>()
  const created = await member.post("/api/v1/createToken", { audience: "orders" })
  await bound.DB.prepare("update user set email_verified = 1, unproven_since = null where id = ?")
    .bind(user.id)
    .run()
  const key = await createAuthenticator({ counts: false })
  const origin = { origin: webUrl }
  const begin = async (purpose: string) => {
    const response = await member.post("/api/auth/passkey/begin", { for: purpose })
    return response.json<{ create: never; get: never }>()
  }
  const attestation = key.create((await begin("add")).create, origin)
  await member.post("/api/auth/passkey/add", { passkey: attestation, name: "Key" })
  const passkey = await key.get((await begin("sign-in")).get, origin)
  const typing = createBrowser(bound, webUrl)
  await typing.post("/api/auth/sign-in/code/begin", { email: eve.email })
  const typed = await mailbox.codeOf(eve.email)
  const { factored, values: factors } = await collectFactors(bound, mailbox)
  const values = {
    sign_in_code: cookie(typing, "sign_in_code")[1],
    ...factors,
    passkey_challenge: cookie(member, "passkey_challenge")[1],
    token: (await created.json<{ token: string }>()).token,
    session_token: cookie(member, "session_token")[1],
    dont_remember: cookie(member, "dont_remember")[1],
    session_binding: cookie(member, "session_binding")[1],
    known_browser: cookie(member, "known_browser")[1],
    signed_up: signedUp[1],
    oauth_state: state[1] ?? "",
    verification: link.searchParams.get("token") ?? "",
    reset_page: reset.searchParams.get("callbackURL") ?? "",
    reset: reset.pathname.split("/").at(-1) ?? "",
    export_cursor: page.nextCursor,
    attempt: createHmac(
      "sha256",
      createKeys({
        secrets: [conceal(secret)],
        environment: "production",
        verifyEmail: true,
      }).first("attempt"),
    )
      .update(`sign-in\n${email}`)
      .digest("base64url"),
  }
  return {
    values,
    email,
    other: eve,
    member,
    provider,
    passkey,
    typed,
    factored,
    stateName: state[0] ?? "",
    location,
    token: reset.pathname,
  }
}

type Collected = Awaited<ReturnType<typeof collect>>
type Name = keyof Collected["values"]

/** Uses a value as one kind: true if the service takes it for one. */
export const uses: Record<
  Exclude<Name, "attempt">,
  (bound: Env, value: string, given: Collected) => Promise<boolean>
> = {
  session_token: async (bound, value) => {
    const browser = createBrowser(bound, webUrl)
    browser.cookies.set(shared("session_token", bound), value)
    const session = await (await browser.get("/api/auth/get-session")).json()
    expect((await browser.get("/api/v1/getProfile")).status).toBe(session === null ? 401 : 200)
    return session !== null
  },
  // A session that is due for renewal gets no new cookie if it ends with the browser.
  dont_remember: async (bound, value, { member }) => {
    const browser = copyBrowser(member, bound, webUrl)
    browser.cookies.set(shared("dont_remember", bound), value)
    await bound.DB.prepare("update session set expires_at = ?, remembered = 1")
      .bind(Date.now() + 60_000)
      .run()
    const renewed = await browser.get("/api/auth/get-session")
    expect(await renewed.json()).not.toBeNull()
    return renewed.headers.getSetCookie().length === 0
  },
  session_binding: async (bound, value, { member }) => {
    const browser = copyBrowser(member, bound, webUrl)
    browser.cookies.set(hostOnly("session_binding", bound), value)
    const response = await browser.post("/api/auth/set-password", { newPassword: password })
    expect([403, 409]).toContain(response.status)
    return response.status === 409
  },
  sign_in_code: async (bound, value, { typed: code }) => {
    const browser = createBrowser(bound, webUrl)
    browser.cookies.set(hostOnly("sign_in_code", bound), value)
    return (await browser.post("/api/auth/sign-in/code", { code })).status === 200
  },
  known_browser: async (bound, value, { other }) => {
    const guess = () => {
      const wrong = { ...other, password: "a wrong guess" }
      return createBrowser(bound, webUrl).post("/api/auth/sign-in/email", wrong)
    }
    // Until strangers are limited; for most values they still are from the one before.
    for (let guesses = 0; (await guess()).status !== 429; guesses += 1) {
      expect(guesses).toBeLessThan(10)
    }
    const browser = createBrowser(bound, webUrl)
    browser.cookies.set(hostOnly("known_browser", bound), value)
    const { status } = await browser.post("/api/auth/sign-in/email", other)
    expect([200, 429]).toContain(status)
    return status === 200
  },
  signed_up: async (bound, value, { values }) => {
    const browser = createBrowser(bound, webUrl)
    browser.cookies.set(hostOnly("signed_up", bound), value)
    const query = new URLSearchParams({ token: values.verification, callbackURL: webUrl })
    const opened = await browser.open(`/api/auth/verify-email?${query.toString()}`)
    const isOpened = opened.headers.get("location") === webUrl
    await bound.DB.prepare(
      "update user set email_verified = 0, unproven_since = 1 where name = 'Ada'",
    ).run()
    return isOpened
  },
  passkey_challenge: async (bound, value, { passkey }) => {
    const browser = createBrowser(bound, webUrl)
    browser.cookies.set(hostOnly("passkey_challenge", bound), value)
    // Each answer opens one session.
    await forgetAttempts()
    return (await browser.post("/api/auth/sign-in/passkey", { passkey })).status === 200
  },
  oauth_state: async (bound, value, { stateName, location, provider }) => {
    const browser = createBrowser(bound, null)
    browser.cookies.set(stateName.replace("production", bound.ENVIRONMENT), value)
    const query = new URLSearchParams(provider.authorize(location))
    const response = await browser.get(`/api/auth/callback/idp?${query.toString()}`)
    const error = new URL(response.headers.get("location") ?? "").searchParams.get("error")
    expect(error).not.toBe("state_mismatch")
    return error !== "state_invalid"
  },
  verification: async (bound, value) => {
    const query = new URLSearchParams({ token: value, callbackURL: webUrl })
    const opened = await createBrowser(bound, null).get(
      `/api/auth/verify-email?${query.toString()}`,
    )
    const error = new URL(opened.headers.get("location") ?? "").searchParams.get("error")
    expect(["PASSWORD_REQUIRED", "INVALID_TOKEN", "TOKEN_EXPIRED"]).toContain(error)
    return error === "PASSWORD_REQUIRED"
  },
  reset_page: async (bound, value, { token }) => {
    const opened = await createBrowser(bound, null).get(
      `${token}?${new URLSearchParams({ callbackURL: value }).toString()}`,
    )
    return opened.headers.get("location")?.startsWith(`${webUrl}/a-page?token=`) ?? false
  },
  reset: async (bound, value) => {
    const opened = await createBrowser(bound, null).get(
      `/api/auth/reset-password/${encodeURIComponent(value)}?callbackURL=${webUrl}`,
    )
    return opened.headers.get("location")?.includes("token=") ?? false
  },
  export_cursor: async (bound, value, { member }) => {
    const browser = copyBrowser(member, bound, webUrl)
    const query = new URLSearchParams({ cursor: value })
    return (await browser.get(`/api/v1/exportData?${query.toString()}`)).status === 200
  },
  token: async (bound, value) => {
    const published = await createBrowser(bound, null).get("/api/v1/jwks.json")
    const keys = createLocalJWKSet(await published.json<JSONWebKeySet>())
    return jwtVerify(value, keys, { audience: "orders" }).then(
      () => true,
      () => false,
    )
  },
  trusted_browser: async (bound, value, { factored }) =>
    (await factored.signIn(await comeBack(bound, "trusted_browser", value))).status === 200,
  sign_in_step: async (bound, value) => {
    const browser = await comeBack(bound, "sign_in_step", value)
    const body = { recoveryCode: "wrong" }
    return (await browser.post("/api/auth/sign-in/second-factor", body)).status === 400
  },
  // Collected last: it replaces the existing app, which the others need.
  totp_enrolment: async (bound, value, { factored }) => {
    const browser = copyBrowser(factored.browser, bound, webUrl)
    const body = { enrolment: value, code: factored.app.code() }
    return (await browser.post("/api/v1/confirmTotp", body)).status === 200
  },
}

export function shared(kind: string, { ENVIRONMENT }: Env) {
  return `__Secure-accounts-${ENVIRONMENT}.${kind}`
}

function hostOnly(kind: string, { ENVIRONMENT }: Env) {
  return `__Host-accounts-${ENVIRONMENT}.${kind}`
}

/** A member with a second factor, and what the service has sealed for them. */
async function collectFactors(bound: Env, mailbox: Pick<Opened["mailbox"], "linkOf">) {
  const credentials = { email: `bob-${crypto.randomUUID()}@example.com`, password }
  const browser = createBrowser(bound, webUrl)
  await browser.post("/api/auth/sign-up/email", { name: "Bob", ...credentials })
  await browser.open(await mailbox.linkOf(credentials.email, "Verify your email address"))
  const signIn = (from: Browser) => from.post("/api/auth/sign-in/email", credentials)
  await signIn(browser)
  const begin = async () => {
    const response = await browser.post("/api/v1/beginTotp", {})
    return response.json<{ uri: string; enrolment: string }>()
  }
  const first = await begin()
  const code = createApp(first.uri).code()
  const on = await browser.post("/api/v1/confirmTotp", { enrolment: first.enrolment, code })
  const { recoveryCodes } = await on.json<{ recoveryCodes: string[] }>()
  const trusted = createBrowser(bound, webUrl)
  await signIn(trusted)
  const factor = { recoveryCode: recoveryCodes[0], trustBrowser: true }
  await trusted.post("/api/auth/sign-in/second-factor", factor)
  const challenged = createBrowser(bound, webUrl)
  await signIn(challenged)
  const next = await begin()
  const cookie = (from: Browser, kind: string) =>
    [...from.cookies].find(([name]) => name.endsWith(kind))?.[1] ?? ""
  return {
    factored: { browser, signIn, app: createApp(next.uri) },
    values: {
      trusted_browser: cookie(trusted, "trusted_browser"),
      sign_in_step: cookie(challenged, "sign_in_step"),
      totp_enrolment: next.enrolment,
    },
  }
}

/** A browser that has a cookie of the host, when the attempts of all before are forgotten. */
async function comeBack(bound: Env, kind: string, value: string) {
  // Each value is tried, and some attempts alone are let through.
  await forgetAttempts()
  const browser = createBrowser(bound, webUrl)
  browser.cookies.set(hostOnly(kind, bound), value)
  return browser
}
