import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { operatorStatements } from "../../../infra/operator-statements.ts"
import { bind, createBrowser } from "../../testing/browser.ts"
import { begin, finish, later, turnOn } from "../../testing/factor-person.ts"
import { createPasskeyPerson, enter } from "../../testing/passkey-person.ts"

test("once the operator has ended access to an account, nothing lets in again that was added before", async () => {
  const bound = bind({ LIMIT_EMAIL: undefined })
  const person = await createPasskeyPerson(bound)
  const { app } = await turnOn(person)
  const trusted = createBrowser(bound)
  await begin(trusted, person)
  await finish(trusted, { code: app.code(), trustBrowser: true })
  await later(person.id)
  const { access, end } = operatorStatements.signOut
  const read = () => env.DB.prepare(access(`'${person.email}'`)).first()
  expect(await read()).toMatchObject({ passwords: 1, passkeys: 1 })
  await env.DB.batch(end(`'${person.email}'`).map((sql) => env.DB.prepare(sql)))
  expect(await read()).toEqual({ sessions: 0, passwords: 0, passkeys: 0, providers: null })
  expect(await enter(createBrowser(bound), person.key)).toMatchObject({ code: "PASSKEY_REFUSED" })
  const rows = "select count(*) as n from trusted_browser where user_id = ?"
  expect(await env.DB.prepare(rows).bind(person.id).first("n")).toBe(0)
  // The operator may send it again.
  await env.DB.batch(end(`'${person.email}'`).map((sql) => env.DB.prepare(sql)))
  const entries =
    "select count(*) as n from audit_entry where subject_id = ? and detail = 'operator'"
  expect(await env.DB.prepare(entries).bind(person.id).first("n")).toBe(1)
})
