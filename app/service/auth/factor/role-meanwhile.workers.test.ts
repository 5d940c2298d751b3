import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind } from "../../../testing/browser.ts"
import { createFactorPerson } from "../../../testing/factor-person.ts"
import { createInterruptedDatabase } from "../../../testing/interrupted-database.ts"
import { createPasskeyPerson } from "../../../testing/passkey-person.ts"

function visit(statement: RegExp) {
  const { database: DB, interrupt } = createInterruptedDatabase()
  return {
    bound: bind({ DB, REQUIRE_SECOND_FACTOR: "admins" }),
    /** Before the statement is run. */
    promote: (id: string) =>
      interrupt(statement, async () => {
        await env.DB.prepare("update user set role = 'admin' where id = ?").bind(id).run()
      }),
  }
}

const refused = { status: 409, body: { code: "SECOND_FACTOR_MANDATORY" } }

test("whoever is made an admin while they turn off a factor that admins must have keeps it", async () => {
  const { bound, promote } = visit(/delete from "second_factor"/)
  const person = await createFactorPerson(bound)
  promote(person.id)
  expect(await person.post("turnOffSecondFactor", {})).toMatchObject(refused)
  const kept = await person.get("listWays")
  expect(kept.body).toMatchObject({ secondFactor: { totp: true, recoveryCodes: 10 } })
})

test("whoever is made an admin while they remove the only passkey keeps it", async () => {
  const { bound, promote } = visit(/delete from "passkey"/)
  const person = await createPasskeyPerson(bound)
  const query = env.DB.prepare("select id from passkey where user_id = ?").bind(person.id)
  const passkeyId = await query.first("id")
  promote(person.id)
  expect(await person.post("removePasskey", { passkeyId })).toMatchObject(refused)
  expect(await query.first("id")).toBe(passkeyId)
})
