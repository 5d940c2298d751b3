import { env } from "cloudflare:workers"

import type { Env } from "../service/platform/configuration/env.ts"
import { createApp } from "./authenticator-app.ts"
import { bind, type Browser } from "./browser.ts"
import { createProvenPerson } from "./passkey-person.ts"
import type { Person } from "./person.ts"

/** The first half of a sign-in. */
export function begin(browser: Browser, { email, password }: Pick<Person, "email" | "password">) {
  return browser.call("/api/auth/sign-in/email", { email, password })
}

/** The second half. */
export function finish(browser: Browser, factor: object) {
  return browser.call("/api/auth/sign-in/second-factor", factor)
}

/** Makes the current code count as a new one. */
export function later(userId: string) {
  return env.DB.prepare("update second_factor set last_step = 0 where user_id = ?")
    .bind(userId)
    .run()
}

/** Turns a second factor on, as a page does. */
export async function turnOn(person: Pick<Person, "post" | "id">) {
  const setup = await person.post("beginTotp", {})
  const app = createApp(String(setup.body["uri"]))
  const enrolment = setup.body["enrolment"]
  const confirmed = await person.post("confirmTotp", { enrolment, code: app.code() })
  const recoveryCodes: string[] = Object(confirmed.body)["recoveryCodes"]
  if (confirmed.status !== 200) throw new Error(`the factor was refused: ${setup.status}`)
  await later(person.id)
  return { app, recoveryCodes }
}

/** Creates a signed-in person whose account has a second factor. */
export async function createFactorPerson(bound: Env = bind()) {
  const person = await createProvenPerson(bound)
  return { ...person, ...(await turnOn(person)) }
}
