import { env } from "cloudflare:workers"

import type { Env } from "../service/platform/configuration/env.ts"
import type { Role } from "../service/platform/database/auth.table.ts"
import { type Authenticator, createAuthenticator, type Forged } from "./authenticator.ts"
import { bind, type Browser } from "./browser.ts"
import { createPerson } from "./person.ts"

async function ask(browser: Browser, purpose: string) {
  const response = await browser.post("/api/auth/passkey/begin", { for: purpose })
  return response.json<{ get: never }>()
}

async function told(answer: Response) {
  const { code } = await answer.json<{ code?: string }>()
  return { status: answer.status, ...(code !== undefined && { code }) }
}

/** Signs in, as a page does. */
export async function enter(browser: Browser, key: Authenticator, forged: Forged = {}) {
  const { get } = await ask(browser, "sign-in")
  const passkey = await key.get(get, forged)
  const answer = await browser.post("/api/auth/sign-in/passkey", { passkey })
  return { ...(await told(answer)), passkey }
}

/** Adds a passkey, as a page does. */
export async function add(browser: Browser, key: Authenticator, forged: Forged = {}) {
  const response = await browser.post("/api/auth/passkey/begin", { for: "add" })
  if (!response.ok) return told(response)
  const { create } = await response.json<{ create: never }>()
  const passkey = key.create(create, forged)
  return told(await browser.post("/api/auth/passkey/add", { passkey, name: "Telephone" }))
}

/** Shows it again, as a page does. */
export async function stepUp(browser: Browser, key: Authenticator, forged: Forged = {}) {
  const { get } = await ask(browser, "step-up")
  const passkey = await key.get(get, forged)
  return told(await browser.post("/api/auth/step-up", { passkey }))
}

/** Returns the body of a page for another purpose. */
export async function answerFor(
  purpose: string,
  browser: Browser,
  key: Authenticator,
  forged: Forged = {},
) {
  const { get } = await ask(browser, purpose)
  return key.get(get, forged)
}

/** Creates a person with a verified address and a passkey. */
export async function createPasskeyPerson(bound: Env = bind()) {
  const person = await createProvenPerson(bound)
  const key = await createAuthenticator()
  const added = await add(person.browser, key)
  if (added.status !== 200) throw new Error(`the passkey was refused: ${added.code}`)
  return { ...person, key }
}

export async function createProvenPerson(bound: Env = bind(), role: Role = "member") {
  const person = await createPerson(bound, role)
  await env.DB.prepare("update user set email_verified = 1, unproven_since = null where id = ?")
    .bind(person.id)
    .run()
  return person
}
