import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { operatorStatements } from "../../../infra/operator-statements.ts"
import { createPerson } from "../../testing/person.ts"

async function grant(email: string) {
  const statements = operatorStatements.owner.grant({ email: `'${email}'`, unverified: true })
  await env.DB.batch(statements.map((sql) => env.DB.prepare(sql)))
  return env.DB.prepare(operatorStatements.owner.standing(`'${email}'`)).first()
}

test("the operator makes an owner where none can act, and no other", async () => {
  await env.DB.exec("update user set role = 'member'")
  const [first, second, third] = [await createPerson(), await createPerson(), await createPerson()]
  await env.DB.prepare("update user set suspended_at = 1 where id = ?").bind(first.id).run()
  // Who is suspended lets nobody in, nor do admins let in an owner.
  expect(await grant(first.email)).toMatchObject({ owns: 1, owned: 0 })
  expect(await grant(second.email)).toMatchObject({ owns: 1, owned: 1 })
  expect(await grant(third.email)).toMatchObject({ owns: 0, owned: 1 })
  const entries = env.DB.prepare(
    "select subject_id from audit_entry where action = 'change_role' and detail = 'owner' order by rowid desc limit 2",
  )
  expect((await entries.all()).results).toEqual([
    { subject_id: second.id },
    { subject_id: first.id },
  ])
})
