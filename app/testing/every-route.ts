import { env } from "cloudflare:workers"

import type { Env } from "../service/platform/configuration/env.ts"
import { createApp } from "./authenticator-app.ts"
import { createAuthenticator } from "./authenticator.ts"
import { bind, createBrowser } from "./browser.ts"
import { createCountingDatabase } from "./counting-database.ts"
import { later } from "./factor-person.ts"
import { createIdentityProvider } from "./identity-provider.ts"
import { createMailbox, mail } from "./mailbox.ts"
import { createNetwork } from "./network.ts"
import { nouns } from "./nouns.ts"
import { createProvenPerson } from "./passkey-person.ts"
import { createPaymentProvider } from "./payment-provider.ts"
import { createPerson, password } from "./person.ts"

/** An environment in which every route has what it needs, and which counts its statements. */
export async function createEveryRoute(changes: Partial<Env> = {}) {
  const payments = createPaymentProvider()
  const mailbox = createMailbox()
  const counting = createCountingDatabase(env.DB)
  // Keys are cached by their address, and each provider has its own.
  const host = `idp-${crypto.randomUUID()}.example`
  const idp = await createIdentityProvider(host)
  const bound = bind({
    DB: counting.database,
    ...payments.bindings,
    ...mail,
    EMAIL_CODE: "on",
    IDENTITY_PROVIDERS: JSON.stringify({ idp: { issuer: idp.issuer, emailDomains: ["*"] } }),
    IDP_CLIENT_ID: "client-at-the-provider",
    TOKENS: JSON.stringify({ audiences: ["https://orders.example"] }),
    ...changes,
  })
  const network = () =>
    createNetwork({
      [payments.host]: payments.remote,
      [host]: idp.remote,
      "mail.example": mailbox.remote,
    })
  return { payments, mailbox, counting, idp, bound, network }
}

/** Whether a statement runs after the response: an email, or the entry of a denial. */
export function isOfLetter(sql: string) {
  return /^update "audit_entry"|"letter_due" is not null|^insert into "attempt"[^;]*;\ninsert into "audit_entry"[^;]*$/.test(
    sql,
  )
}

function auditFilters(subjectId: string, actorId: string) {
  return {
    "of an action": "action=sign_in",
    "of an actor": `actorId=${actorId}`,
    "of all three": `subjectId=${subjectId}&actorId=${actorId}&action=sign_in`,
  }
}

type EveryRoute = Awaited<ReturnType<typeof createEveryRoute>>

/** Calls every route the way its users do. */
export async function visitEveryRoute(
  { payments, mailbox, idp, bound }: EveryRoute,
  measure: (name: string, action: () => Promise<unknown>) => Promise<unknown>,
) {
  const person = await createPerson(bound)
  const target = await createPerson(bound)
  const owner = await createPerson(bound, "owner")
  const user = createBrowser(bound)
  const address = `${crypto.randomUUID()}@example.com`
  const account = { name: "Ada", email: address, password }
  const wrong = { ...account, password: "not it at all" }

  await measure("sign-up", () => user.post("/api/auth/sign-up/email", account))
  const leaver = await createPerson(bound)
  await measure("sign-out", () => leaver.browser.post("/api/auth/sign-out"))
  // As from a new browser, also where the answer to the sign-up was lost.
  user.cookies.clear()
  await measure("sign-in", () => user.post("/api/auth/sign-in/email", account))
  await measure("get-session", () => user.get("/api/auth/get-session"))
  await measure("list-sessions", () => user.get("/api/auth/list-sessions"))
  await measure("step-up", () => user.post("/api/auth/step-up", { password }))
  const goer = await createPerson(bound)
  await measure("delete-user", () => goer.browser.post("/api/auth/delete-user", { password }))
  const guesser = createBrowser(bound)
  await measure("sign-in, wrong password", () =>
    guesser.post("/api/auth/sign-in/email", { ...wrong, email: person.email }),
  )

  const opener = await createPerson(bound)
  await opener.browser.post("/api/auth/send-verification-email", { email: opener.email })
  const opened = await mailbox.linkOf(opener.email, "Verify your email address")
  await measure("verify-email", () => opener.browser.open(opened))
  const { email, browser: keeper } = await createPerson(bound)
  const auth = (path: string, body?: unknown) => () => keeper.post(`/api/auth/${path}`, body)
  const newPassword = "another password"
  await measure("send-verification-email", auth("send-verification-email", { email }))
  const verify = await mailbox.linkOf(email, "Verify your email address")
  const proof = { token: new URL(verify).searchParams.get("token"), password }
  await measure("verify-email, elsewhere", () => createBrowser(bound).open(verify))
  await measure("verify-email-with-password", auth("verify-email-with-password", proof))
  await measure(
    "change-password",
    auth("change-password", { currentPassword: password, newPassword }),
  )
  const signInAgain = async () => {
    const response = await createBrowser(bound).post("/api/auth/sign-in/email", {
      email,
      password: newPassword,
    })
    return response.json<{ token: string }>()
  }
  await measure("revoke-session", auth("revoke-session", { token: (await signInAgain()).token }))
  await signInAgain()
  await measure("revoke-other-sessions", auth("revoke-other-sessions"))
  await measure("list-accounts", () => keeper.get("/api/auth/list-accounts"))
  let page = ""
  await measure("link-social", async () => {
    const started = await keeper.post("/api/auth/link-social", { provider: "idp" })
    page = (await started.json<{ url: string }>()).url
  })
  idp.forge({ claims: { sub: email, email } })
  await measure("provider callback, adding", () => {
    const back = new URLSearchParams(idp.authorize(page)).toString()
    return keeper.open(`/api/auth/callback/idp?${back}`)
  })
  idp.forge({ claims: { sub: address, email: `new-${address}` } })
  await measure("unlink-account", auth("unlink-account", { providerId: "idp" }))
  await measure("revoke-sessions", auth("revoke-sessions"))
  await measure("request-password-reset", auth("request-password-reset", { email }))
  const reset = new URL(await mailbox.linkOf(email, "Reset your password"))
  const token = reset.searchParams.get("token")
  const resetPage = `/api/auth/reset-password/${token}?callbackURL=http://localhost:3000/`
  await measure("open a reset", () => keeper.open(resetPage))
  await measure("reset-password", auth("reset-password", { token, newPassword: password }))

  const typing = createBrowser(bound)
  const ofCode = await createPerson(bound)
  await env.DB.prepare("update user set email_verified = 1 where id = ?").bind(ofCode.id).run()
  await measure("sign-in/code/begin", () =>
    typing.post("/api/auth/sign-in/code/begin", { email: ofCode.email }),
  )
  const typed = { code: await mailbox.codeOf(ofCode.email) }
  await measure("sign-in/code", () => typing.post("/api/auth/sign-in/code", typed))

  const mover = await createPerson(bound)
  const newEmail = `moved-${mover.email}`
  await env.DB.prepare("update user set email_verified = 1 where id = ?").bind(mover.id).run()
  await measure("changeEmail", () => mover.post("changeEmail", { newEmail }))
  const code = await mailbox.codeOf(newEmail)
  await measure("confirmEmail", () => mover.post("confirmEmail", { newEmail, code }))
  await measure("listWays", () => mover.get("listWays"))
  await measure("getOverview", () => mover.get("getOverview"))
  const listed = await mover.browser.get("/api/auth/list-sessions")
  const [device] = await listed.json<{ id: string }[]>()
  const renaming = { sessionId: device?.id, name: "Laptop" }
  await measure("renameSession", () => mover.post("renameSession", renaming))
  await env.DB.prepare("delete from account where user_id = ?").bind(mover.id).run()
  await measure("set-password", () => mover.browser.post("/api/auth/set-password", { newPassword }))

  const visitor = createBrowser(bound, null)
  for (const name of ["provider callback, first", "provider callback"]) {
    let location = ""
    await measure("provider start", async () => {
      const started = await visitor.get("/api/auth/sign-in/idp")
      location = started.headers.get("location") ?? ""
    })
    await measure(name, () => {
      const query = new URLSearchParams(idp.authorize(location)).toString()
      return visitor.get(`/api/auth/callback/idp?${query}`)
    })
  }
  await measure("step-up/begin", () =>
    visitor.post("/api/auth/step-up/begin", {}, { origin: "http://localhost:3000" }),
  )
  const emailCode = await mailbox.codeOf(`new-${address}`)
  await measure("step-up, emailed code", () =>
    visitor.post("/api/auth/step-up", { emailCode }, { origin: "http://localhost:3000" }),
  )
  await measure("callback by a form", () =>
    visitor.send("POST", "/api/auth/callback/idp", {
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "code=x&state=y",
    }),
  )

  await measure("health", () => person.browser.get("/api/health"))
  await measure("settings", () => createBrowser(bound, null).get("/api/v1/settings"))
  await measure("whoami, signed out", () => createBrowser(bound).get("/api/v1/whoami"))
  for (const name of ["whoami", "getProfile", "getPlanAndUsage"]) {
    await measure(name, () => person.get(name))
  }
  await measure("updateProfile", () => person.post("updateProfile", { name: "Ada" }))

  const { send } = createBrowser(bound, null)
  for (const { visit } of nouns) await visit({ person, send, payments, measure })
  await visitPasskeys(bound, measure)
  await visitSecondFactors(bound, measure)
  await measure("exportData", () => person.get("exportData"))

  const tokenFor = { audience: "https://orders.example" }
  await measure("createToken", () => person.post("createToken", tokenFor))
  await measure("getTokenKeys", () => createBrowser(bound, null).get("/api/v1/jwks.json"))

  const userId = target.id
  await measure("makeUserAdmin", () => owner.post("makeUserAdmin", { userId }))
  await measure("changeRole", () => owner.post("changeRole", { userId, role: "member" }))
  await measure("grantPremium", () => owner.post("grantPremium", { userId, until: null }))
  await measure("revokePremium", () => owner.post("revokePremium", { userId }))
  const reason = "security"
  await measure("suspendUser", () => owner.post("suspendUser", { userId, reason }))
  await measure("unsuspendUser", () => owner.post("unsuspendUser", { userId }))
  await measure("scheduleDeletion", () => owner.post("scheduleDeletion", { userId, reason }))
  await measure("cancelDeletion", () => owner.post("cancelDeletion", { userId }))
  await owner.post("unsuspendUser", { userId })
  await measure("sendReset", () => owner.post("sendReset", { userId }))
  await measure("sendVerification", () => owner.post("sendVerification", { userId }))
  await target.browser.post("/api/auth/sign-in/email", { email: target.email, password })
  await env.DB.prepare("update user set second_factor_since = 1 where id = ?").bind(userId).run()
  await measure("resetSecondFactor", () => owner.post("resetSecondFactor", { userId }))
  await target.browser.post("/api/auth/sign-in/email", { email: target.email, password })
  await measure("endSessions", () => owner.post("endSessions", { userId }))
  await target.browser.post("/api/auth/sign-in/email", { email: target.email, password })
  await measure("recoverAccount", () => owner.post("recoverAccount", { userId: leaver.id }))
  const guest = { email: `guest-${address}` }
  let invitationId: unknown
  await measure("inviteUser", async () => {
    invitationId = (await owner.post("inviteUser", guest)).body["id"]
  })
  await measure("listInvitations", () => owner.get("listInvitations?cursor=MS5hYmM"))
  await measure("revokeInvitation", () => owner.post("revokeInvitation", { invitationId }))
  const grace = { name: "Grace", email: `invited-${address}`, password }
  await owner.post("inviteUser", { email: grace.email })
  const letter = new URL(await mailbox.linkOf(grace.email, "You have been invited"))
  const invitation = letter.searchParams.get("invitation")
  await measure("sign-up, invited", () =>
    createBrowser(bound).post("/api/auth/sign-up/email", { ...grace, invitation }),
  )
  await measure("listSecurityEvents", () => target.get("listSecurityEvents?cursor=MS5hYmM"))
  await measure("listUsers", () => owner.get("listUsers?cursor=MS5hYmM"))
  await measure("listUsers by address", () => owner.get("listUsers?email=person-"))
  await measure("listUsers by former address", () => owner.get(`listUsers?formerEmail=${email}`))
  await measure("listUsers by anything", () => owner.get("listUsers?search=person"))
  await measure("listUsers by id", () => owner.get(`listUsers?id=${userId}`))
  await measure("readMember", () => owner.get(`readMember?userId=${userId}`))
  await measure("getMemberAccess", () => owner.get(`getMemberAccess?userId=${userId}`))
  await measure("listAuditEntries", () => owner.get("listAuditEntries?cursor=MS5hYmM"))
  for (const [name, query] of Object.entries(auditFilters(userId, owner.id))) {
    await measure(`listAuditEntries ${name}`, () => owner.get(`listAuditEntries?${query}`))
  }
}

type Measure = (name: string, action: () => Promise<unknown>) => Promise<unknown>

/** Calls every route of passkeys the way pages do. */
async function visitPasskeys(bound: Env, measure: Measure) {
  const holder = await createProvenPerson(bound)
  const { browser } = holder
  const entering = createBrowser(bound)
  const key = await createAuthenticator()
  let challenge = Object()
  const begin = (from: typeof browser, purpose: string) => async () => {
    challenge = await (await from.post("/api/auth/passkey/begin", { for: purpose })).json()
  }
  await measure("passkey-begin, to add", begin(browser, "add"))
  await measure("passkey-add", () =>
    browser.post("/api/auth/passkey/add", { passkey: key.create(challenge.create), name: "Key" }),
  )
  await measure("passkey-begin", begin(entering, "sign-in"))
  await measure("sign-in, passkey", async () =>
    entering.post("/api/auth/sign-in/passkey", { passkey: await key.get(challenge.get) }),
  )
  await begin(browser, "step-up")()
  await measure("step-up, passkey", async () =>
    browser.post("/api/auth/step-up", { passkey: await key.get(challenge.get) }),
  )
  const { body } = await holder.get("listWays")
  const passkeyId: unknown = Object(body["passkeys"])[0]?.id
  await measure("renamePasskey", () => holder.post("renamePasskey", { passkeyId, name: "Other" }))
  await measure("removePasskey", () => holder.post("removePasskey", { passkeyId }))
}

/** Calls every route of second factors the way pages do. */
async function visitSecondFactors(bound: Env, measure: Measure) {
  const holder = await createProvenPerson(bound)
  const { browser, id, email } = holder
  let setup = Object()
  await measure("beginTotp", async () => {
    setup = (await holder.post("beginTotp", {})).body
  })
  const app = createApp(setup.uri)
  const { enrolment } = setup
  await measure("confirmTotp", () => holder.post("confirmTotp", { enrolment, code: app.code() }))
  const entering = createBrowser(bound)
  const signIn = () => entering.post("/api/auth/sign-in/email", { email, password })
  await measure("sign-in, second factor asked", signIn)
  await later(id)
  await measure("sign-in, second factor", () =>
    entering.post("/api/auth/sign-in/second-factor", { code: app.code(), trustBrowser: true }),
  )
  // Simulates a lost response to the request that trusted the browser.
  await env.DB.prepare("delete from trusted_browser where user_id = ?").bind(id).run()
  entering.cookies.clear()
  await signIn()
  await later(id)
  await entering.post("/api/auth/sign-in/second-factor", { code: app.code(), trustBrowser: true })
  await measure("sign-in, trusted browser", signIn)
  await later(id)
  await measure("step-up, code", () => browser.post("/api/auth/step-up", { code: app.code() }))
  let codes: string[] = []
  await measure("renewRecoveryCodes", async () => {
    codes = Object((await holder.post("renewRecoveryCodes", {})).body).recoveryCodes
  })
  await measure("step-up, recovery code", () =>
    browser.post("/api/auth/step-up", { recoveryCode: codes[0] }),
  )
  await measure("forgetBrowsers", () => holder.post("forgetBrowsers", {}))
  await browser.post("/api/auth/revoke-other-sessions")
  await measure("turnOffSecondFactor", () => holder.post("turnOffSecondFactor", {}))
}
