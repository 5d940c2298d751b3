import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind, createBrowser } from "../../../testing/browser.ts"
import { mail, openMailbox } from "../../../testing/mailbox.ts"
import { createPerson } from "../../../testing/person.ts"

const rows = [
  "insert into second_factor values (?1, 'sealed', 'key', 0, 1, 1)",
  "insert into recovery_code values ('code of ' || ?1, ?1)",
  "insert into trusted_browser values ('browser of ' || ?1, ?1, 'Firefox', 1, 99999999999999)",
  `insert into passkey (id, user_id, credential_id, public_key, algorithm, name, created_at)
   values ('passkey_' || ?1, ?1, 'credential of ' || ?1, 'key', -7, 'Phone', 1)`,
  "update user set second_factor_since = 1 where id = ?1",
]
const tables = ["second_factor", "recovery_code", "trusted_browser", "passkey"]

async function kept(id: string) {
  const counts = await Promise.all(
    tables.map((table) =>
      env.DB.prepare(`select count(*) as n from ${table} where user_id = ?`).bind(id).first("n"),
    ),
  )
  const since = env.DB.prepare("select second_factor_since as since from user where id = ?")
  return [...counts, (await since.bind(id).first("since")) === null ? 0 : 1]
}

/** A person with each factor, whose owner resets the password by a letter. */
async function reset({ isProven }: { isProven: boolean }) {
  const mailbox = openMailbox()
  const bound = bind(mail)
  const { id, email } = await createPerson(bound)
  await env.DB.batch(rows.map((sql) => env.DB.prepare(sql).bind(id)))
  const proven = env.DB.prepare(
    "update user set email_verified = ?, unproven_since = null where id = ?",
  )
  await proven.bind(isProven ? 1 : 0, id).run()
  const owner = createBrowser(bound)
  await owner.post("/api/auth/request-password-reset", { email })
  const link = new URL(await mailbox.linkOf(email, "Reset your password"))
  const body = { token: link.searchParams.get("token"), newPassword: "another password" }
  expect((await owner.post("/api/auth/reset-password", body)).status).toBe(200)
  return kept(id)
}

test("whoever proves to own an open account loses what a stranger set there: factors, codes, browsers, passkeys", async () => {
  expect(await reset({ isProven: false })).toEqual([0, 0, 0, 0, 0])
})

test("a reset of a proven account keeps its second factor and its passkeys, and trusts no browser any more", async () => {
  expect(await reset({ isProven: true })).toEqual([1, 1, 0, 1, 1])
})
