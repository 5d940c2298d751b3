import { env } from "cloudflare:workers"

import { turnstileAction } from "../service/guard/turnstile.ts"
import committed from "../service/openapi/openapi.json"
import { takesTurnstile } from "../service/routes/endpoints.ts"
import { bindProduction, type Browser, createBrowser } from "./browser.ts"
import { createCountingDatabase } from "./counting-database.ts"
import { createFactorPerson } from "./factor-person.ts"
import { hashesSoFar } from "./light-scrypt.ts"
import { openMailbox } from "./mailbox.ts"
import type { Remote } from "./network.ts"
import { createPasskeyPerson } from "./passkey-person.ts"
import { createPerson } from "./person.ts"
import { createTurnstile } from "./turnstile.ts"

export const webUrl = "https://app.example.com"

/** Documented routes without a session that take an email address. */
export const routes = Object.entries(committed.paths).flatMap(([path, methods]) =>
  Object.values(methods).flatMap((operation) => {
    const isPublic = operation.security.length === 0
    return isPublic && JSON.stringify(operation.requestBody ?? "").includes('"email"') ? [path] : []
  }),
)

/** Each makes an account for the address. */
export const accounts: Record<string, (email: string) => Promise<unknown>> = {
  verified: (email) => join(email, "email_verified = 1"),
  "unverified, with data": (email) => join(email, "email_verified = 0"),
  "unverified, never used": (email) => join(email, "unproven_since = created_at"),
  "without a password": async (email) => {
    await join(email, "email_verified = 1")
    await env.DB.prepare(
      "delete from account where user_id = (select id from user where email = ?)",
    )
      .bind(email)
      .run()
  },
  suspended: (email) =>
    join(email, "email_verified = 1, suspended_at = created_at, suspended_for = 'abuse'"),
  "suspended, and never proven": (email) =>
    join(email, "unproven_since = created_at, suspended_at = created_at, suspended_for = 'other'"),
  "soon to be deleted": (email) =>
    join(
      email,
      "email_verified = 1, suspended_at = created_at, suspended_for = 'request', delete_at = created_at * 2",
    ),
  "with a second factor": async (email) =>
    join(email, "email_verified = 1", await createFactorPerson()),
  "with a passkey": async (email) => join(email, "email_verified = 1", await createPasskeyPerson()),
  "deleted since": async (email) => {
    await join(email, "email_verified = 1")
    await env.DB.prepare("delete from user where email = ?").bind(email).run()
  },
}

/** Part of how many the kinds of this run are, as `1/3`; set by the configuration of the tests. */
declare const KINDS_PART: string

const [part = 0, parts = 1] = KINDS_PART.split("/").map(Number)

/** Selects the part of a list that this run tests: an isolate handles only so many requests. */
export function ofThisRun<Kind>(kinds: Kind[]) {
  return kinds.filter((_, index) => index % parts === part)
}

async function join(email: string, change: string, person?: { id: string }) {
  const { id } = person ?? (await createPerson())
  await env.DB.prepare(`update user set email = ?, ${change} where id = ?`).bind(email, id).run()
}

const turnstile = createTurnstile()

/** Replaces the services that Accounts calls, and collects its emails. */
export function createWorld(remotes: Record<string, Remote> = {}) {
  const mailbox = openMailbox({ [turnstile.host]: turnstile.remote, ...remotes })
  const isLetter = ({ url }: Request) => new URL(url).host === "mail.example"
  return {
    ...mailbox,
    /** How many were handed to the mail service, whatever it says. */
    letters: () => mailbox.requests.filter(isLetter).length,
  }
}

const counting = createCountingDatabase(env.DB)
/** Turns on each sign-in method and each check. */
export const bound = bindProduction({
  EMAIL_CODE: "on",
  ...turnstile.bindings,
  DB: counting.database,
  LIMIT_EMAIL: undefined,
  LIMIT_ADDRESS: undefined,
})

/** Returns the widget's token for the form of a path that takes one. */
export function tokenFor(path: string) {
  const endpoint = path.replace("/api/auth", "")
  if (!takesTurnstile(endpoint)) return {}
  return { turnstile: turnstile.pass(turnstileAction(endpoint), new URL(webUrl).hostname) }
}

/** Sends a request like a page, unless the body has its own token. */
export function ask(browser: Browser, path: string, body: object) {
  return browser.post(path, { ...tokenFor(path), ...body })
}

/** Returns what a caller sees, except ids, times and the address itself, and which work took time. */
export async function askAbout(
  path: string,
  email: string,
  body: object,
  browser = createBrowser(bound, webUrl),
) {
  let visible: unknown
  const before = hashesSoFar()
  const statements = await counting.during(async () => {
    const response = await ask(browser, path, { ...body, email })
    const text = await response.text()
    visible = [
      response.status,
      text
        .replaceAll(email.toLowerCase(), "<address>")
        .replaceAll(/user_[0-9a-z]{24}/g, "<id>")
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>"),
      [...response.headers].filter(([name]) => !ofEach.has(name)),
      // Ids are signed; names, lengths and attributes must not differ.
      response.headers.getSetCookie().map((line) => line.replace(/=[^;]*/, lengthOf)),
    ]
  })
  // Literals are parameters, so the statements are equal if their texts are.
  return { seen: visible, sent: statements, hashed: hashesSoFar() - before }
}

/** Headers of one answer alone; cookies are compared by themselves. */
const ofEach = new Set(["set-cookie", "x-request-id"])

/** Length of the value as it is signed: base64 has characters that a cookie encodes. */
function lengthOf(value: string) {
  return `=${decodeURIComponent(value).length}`
}
