import { env } from "cloudflare:workers"
import { getTableName, is } from "drizzle-orm"
import { SQLiteTable } from "drizzle-orm/sqlite-core"
import { beforeAll, expect, test } from "vitest"

import { schema } from "./schema.ts"
import { sweepStatements } from "./sweep/sweep.ts"
import { bind, createBrowser } from "./testing/browser.ts"
import { createCountingDatabase } from "./testing/counting-database.ts"
import { createIdentityProvider } from "./testing/identity-provider.ts"
import { createMailbox } from "./testing/mailbox.ts"
import { createNetwork } from "./testing/network.ts"
import { createPaymentProvider } from "./testing/payment-provider.ts"
import { createPerson, password, type Person } from "./testing/person.ts"
import { createResultInput } from "./testing/result.ts"

/** Round trips to the database per request, each of tens of milliseconds in production. */
const expected: Record<string, number> = {
  "sign-up": 2,
  "sign-in": 2,
  "sign-in, wrong password": 2,
  "get-session": 1,
  "list-sessions": 1,
  "change-password": 3,
  "send-verification-email": 1,
  "verify-email": 1,
  "verify-email, elsewhere": 1,
  "verify-email-with-password": 3,
  "request-password-reset": 1,
  "reset-password": 2,
  "revoke-session": 2,
  "revoke-other-sessions": 2,
  "revoke-sessions": 2,
  "provider start": 0,
  "provider callback, first": 2,
  "provider callback": 2,
  "sign-out": 1,
  "delete-user": 3,
  health: 0,
  whoami: 1,
  "whoami, signed out": 0,
  getProfile: 1,
  updateProfile: 2,
  getPlanAndUsage: 1,
  exportData: 1,
  createEntry: 2,
  getEntry: 1,
  listEntries: 1,
  "listEntries by mood": 1,
  "listEntries by mood, at all times": 1,
  getTodayPrompt: 1,
  createResult: 2,
  getResult: 1,
  listResults: 1,
  createCheckout: 3,
  verifyPayment: 4,
  processWebhook: 1,
  unlockDeepInsights: 2,
  recordConsent: 2,
  listConsents: 1,
  withdrawConsent: 2,
  makeUserAdmin: 2,
  changeRole: 2,
  grantPremium: 2,
  revokePremium: 2,
  listSecurityEvents: 1,
  listUsers: 1,
  readMember: 1,
  listAuditEntries: 1,
}

const payments = createPaymentProvider()
const mailbox = createMailbox()
const counting = createCountingDatabase(env.DB)
const idp = await createIdentityProvider("idp.example")
const bound = bind({
  DB: counting.database,
  ...payments.bindings,
  MAIL_URL: "https://mail.example/send",
  IDENTITY_PROVIDERS: JSON.stringify({ idp: { issuer: idp.issuer, emailDomains: ["*"] } }),
  IDP_CLIENT_ID: "client-at-the-provider",
})

const tables = new Set<string>(
  Object.values(schema).flatMap((table) => (is(table, SQLiteTable) ? [getTableName(table)] : [])),
)

const sent: Record<string, string[]> = {}

async function measure(name: string, action: () => Promise<unknown>) {
  sent[name] = await counting.during(action)
}

async function idOf(answer: ReturnType<Person["post"]>) {
  return String((await answer).body["id"])
}

beforeAll(async () => {
  using _ = createNetwork({
    [payments.host]: payments.remote,
    "idp.example": idp.remote,
    "mail.example": mailbox.remote,
  })
  const person = await createPerson(bound)
  const other = await createPerson(bound)
  const owner = await createPerson(bound, "owner")
  const user = createBrowser(bound)
  const account = { name: "Ada", email: "ada@example.com", password }
  const wrong = { ...account, password: "not it at all" }

  await measure("sign-up", () => user.post("/api/auth/sign-up/email", account))
  await measure("sign-out", () => user.post("/api/auth/sign-out"))
  await measure("sign-in", () => user.post("/api/auth/sign-in/email", account))
  await measure("get-session", () => user.get("/api/auth/get-session"))
  await measure("list-sessions", () => user.get("/api/auth/list-sessions"))
  await measure("delete-user", () => user.post("/api/auth/delete-user", { password }))
  const guesser = createBrowser(bound)
  await measure("sign-in, wrong password", () =>
    guesser.post("/api/auth/sign-in/email", { ...wrong, email: person.email }),
  )

  const { email, browser: keeper } = await createPerson(bound)
  const auth = (path: string, body?: unknown) => () => keeper.post(`/api/auth/${path}`, body)
  const newPassword = "another password"
  await measure("send-verification-email", auth("send-verification-email", { email }))
  const verify = await mailbox.linkOf(email, "Verify your e-mail address")
  const proof = { token: new URL(verify).searchParams.get("token"), password }
  await measure("verify-email, elsewhere", () => createBrowser(bound).open(verify))
  await measure("verify-email-with-password", auth("verify-email-with-password", proof))
  await measure("verify-email", () => keeper.open(verify))
  await measure(
    "change-password",
    auth("change-password", { currentPassword: password, newPassword }),
  )
  await measure("revoke-session", auth("revoke-session", { token: "x" }))
  await measure("revoke-other-sessions", auth("revoke-other-sessions"))
  await measure("revoke-sessions", auth("revoke-sessions"))
  await measure("request-password-reset", auth("request-password-reset", { email }))
  const reset = new URL(await mailbox.linkOf(email, "Reset your password"))
  const token = reset.searchParams.get("token")
  await measure("reset-password", auth("reset-password", { token, newPassword: password }))

  for (const name of ["provider callback, first", "provider callback"]) {
    const visitor = createBrowser(bound, null)
    let location = ""
    await measure("provider start", async () => {
      const started = await visitor.get("/api/auth/sign-in/idp")
      location = started.headers.get("location") ?? ""
    })
    const query = new URLSearchParams(idp.authorize(location)).toString()
    await measure(name, () => visitor.get(`/api/auth/callback/idp?${query}`))
  }

  await measure("health", () => person.browser.get("/api/health"))
  await measure("whoami, signed out", () => createBrowser(bound).get("/api/v1/whoami"))
  for (const name of ["whoami", "getProfile", "getPlanAndUsage", "getTodayPrompt"]) {
    await measure(name, () => person.get(name))
  }
  await measure("updateProfile", () => person.post("updateProfile", { name: "Ada" }))

  let entry = ""
  await measure("createEntry", async () => {
    entry = await idOf(person.post("createEntry", { mood: "good", text: "x" }))
  })
  await measure("getEntry", () => person.get(`getEntry?id=${entry}`))
  const page = "cursor=MS5hYmM&from=2026-01-01T00:00:00Z"
  await measure("listEntries", () => person.get(`listEntries?${page}`))
  await measure("listEntries by mood, at all times", () => person.get("listEntries?mood=good"))
  await measure("listEntries by mood", () => person.get(`listEntries?mood=good&${page}`))

  let id = ""
  await measure("createResult", async () => {
    id = await idOf(person.post("createResult", createResultInput()))
  })
  await measure("getResult", () => person.get(`getResult?id=${id}`))
  await measure("listResults", () => person.get("listResults?cursor=MS5hYmM"))
  let paymentId = ""
  await measure("createCheckout", async () => {
    const { body } = await person.post("createCheckout", { resultId: id })
    paymentId = String(body["paymentId"])
  })
  const webhook = payments.pay(paymentId)
  await measure("verifyPayment", () => person.post("verifyPayment", { paymentId }))
  await measure("processWebhook", () =>
    createBrowser(bound, null).send("POST", "/api/v1/processWebhook", webhook),
  )
  await measure("unlockDeepInsights", () => person.post("unlockDeepInsights", { id, paymentId }))

  let consent = ""
  await measure("recordConsent", async () => {
    consent = await idOf(person.post("recordConsent", { purpose: "terms", version: "1" }))
  })
  await measure("listConsents", () => person.get("listConsents"))
  await measure("withdrawConsent", () => person.post("withdrawConsent", { id: consent }))
  await measure("exportData", () => person.get("exportData"))

  const userId = other.id
  await measure("makeUserAdmin", () => owner.post("makeUserAdmin", { userId }))
  await measure("changeRole", () => owner.post("changeRole", { userId, role: "member" }))
  await measure("grantPremium", () => owner.post("grantPremium", { userId, until: null }))
  await measure("revokePremium", () => owner.post("revokePremium", { userId }))
  await measure("listSecurityEvents", () => other.get("listSecurityEvents?cursor=MS5hYmM"))
  await measure("listUsers", () => owner.get("listUsers?cursor=MS5hYmM"))
  await measure("readMember", () => owner.get(`readMember?userId=${userId}`))
  await measure("listAuditEntries", () => owner.get("listAuditEntries?cursor=MS5hYmM"))
})

test.each(Object.entries(expected))("%s sends %i statements", (name, count) => {
  expect({ name, count: sent[name]?.length, sql: sent[name] }).toMatchObject({ count })
})

test("no request sends more than four statements", () => {
  const many = Object.entries(expected).flatMap(([name, count]) => (count > 4 ? [name] : []))
  expect(many).toEqual([])
})

test("no statement scans a table, and no list is sorted", async () => {
  const parts = Object.entries(sent).flatMap(([name, statements]) =>
    statements.flatMap((sql) => sql.split(";\n").map((part) => ({ name, sql: part }))),
  )
  const swept = sweepStatements(new Date()).map(({ name, sql }) => ({ name, sql }))
  const scans: unknown[] = []
  const sorts: unknown[] = []
  for (const { name, sql } of [...parts, ...swept]) {
    const count = sql.includes("?1") ? Number(sql.includes("?2")) + 1 : sql.split("?").length - 1
    const { results } = await env.DB.prepare(`explain query plan ${sql}`)
      .bind(...Array.from({ length: count }, () => 1))
      .all<{ detail: string }>()
    for (const { detail } of results) {
      const scanned = /^SCAN (\w+)$/.exec(detail)?.[1] ?? ""
      if (tables.has(scanned)) scans.push({ name, detail, sql })
      if (name.startsWith("list") && detail.includes("ORDER BY")) sorts.push({ name, detail, sql })
    }
  }
  expect({ scans, sorts }).toEqual({ scans: [], sorts: [] })
})
