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

/** Inserts a row of each second factor, as other versions may have left them. */
export function insertFactors(userId: string) {
  const statements = [
    "insert into second_factor values (?1, 'sealed', 'key', 0, 1, 1)",
    "insert into recovery_code values ('one of ' || ?1, ?1), ('two of ' || ?1, ?1)",
    "insert into trusted_browser values ('browser of ' || ?1, ?1, 'Firefox', 1, 9e12)",
    `insert into passkey (id, user_id, credential_id, public_key, algorithm, name, created_at)
     values ('passkey_' || ?1, ?1, 'credential of ' || ?1, 'secret key', -7, 'Phone', 1)`,
    "update user set second_factor_since = 1 where id = ?1",
  ]
  return env.DB.batch(statements.map((sql) => env.DB.prepare(sql).bind(userId)))
}

/** Creates a signed-in person whose account has a second factor. */
export async function createFactorPerson(bound: Env = bind()) {
  const person = await createProvenPerson(bound)
  return { ...person, ...(await turnOn(person)) }
}
