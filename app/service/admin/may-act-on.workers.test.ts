import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind } from "../../testing/browser.ts"
import { createPerson } from "../../testing/person.ts"
import { roles } from "../auth/role.ts"

/* Who may act on whom, cell by cell. */

const matrix = {
  admin: { member: 200, admin: 403, owner: 403, self: 403 },
  owner: { member: 200, admin: 200, owner: 200, self: 403 },
} as const

const acts = ["grantPremium", "revokePremium", "readMember"] as const

const cells = acts.flatMap((act) =>
  (["admin", "owner"] as const).flatMap((actor) =>
    ([...roles, "self"] as const).map((subject) => ({
      act,
      actor,
      subject,
      status: matrix[actor][subject],
    })),
  ),
)

test.each(cells)("$actor, $act on $subject: $status", async ({ act, actor, subject, status }) => {
  const acting = await createPerson(bind(), actor)
  const other = subject === "self" ? acting : await createPerson(bind(), subject)
  const premium = act === "revokePremium" ? "premium" : "free"
  await env.DB.prepare("update user set plan = ? where id = ?").bind(premium, other.id).run()
  const before = await stateOf(other.id)
  const body = { userId: other.id, ...(act === "grantPremium" && { until: null }) }
  const answer =
    act === "readMember"
      ? await acting.get(`readMember?userId=${other.id}`)
      : await acting.post(act, body)
  const isChanged = JSON.stringify(await stateOf(other.id)) !== JSON.stringify(before)
  const code = status === 403 ? "FORBIDDEN" : undefined
  expect([answer.status, answer.body["code"], isChanged]).toEqual([status, code, status === 200])
})

/** The plan, and what the audit log says of acts on the account. */
async function stateOf(userId: string) {
  const plan = env.DB.prepare("select plan from user where id = ?").bind(userId)
  const entries = env.DB.prepare(
    "select action, actor_id from audit_entry where subject_id = ? and actor_id <> subject_id",
  ).bind(userId)
  const results = await env.DB.batch([plan, entries])
  return results.map((result) => result.results)
}
