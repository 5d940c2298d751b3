import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind } from "../../testing/browser.ts"
import { createPerson } from "../../testing/person.ts"
import { roles } from "../auth/auth.table.ts"

/* Who may act on whom, cell by cell. */

const matrix = {
  admin: { member: 200, admin: 403, owner: 403, self: 403 },
  owner: { member: 200, admin: 200, owner: 200, self: 403 },
} as const

/** What each act is sent, beside the user; undefined: it is a GET. */
const bodies = {
  grantPremium: { until: null },
  revokePremium: {},
  readMember: undefined,
  getMemberAccess: undefined,
  suspendUser: { reason: "abuse" },
  unsuspendUser: {},
  scheduleDeletion: { reason: "request" },
  cancelDeletion: {},
  endSessions: {},
  sendReset: {},
  resetSecondFactor: {},
  recoverAccount: {},
} as const

const acts = [
  "grantPremium",
  "revokePremium",
  "readMember",
  "getMemberAccess",
  "suspendUser",
  "unsuspendUser",
  "scheduleDeletion",
  "cancelDeletion",
  "endSessions",
  "sendReset",
  "resetSecondFactor",
  "recoverAccount",
] as const

/** Letters are kept, so that there are some. */
const bound = bind({ ENVIRONMENT: "preview", KEEP_MAIL: "true" })

const cells = acts.flatMap((act) =>
  (["admin", "owner"] as const).flatMap((actor) =>
    ([...roles, "self"] as const).map((subject) => ({
      act,
      actor,
      subject,
      // Only owners take a second factor off.
      status: act === "resetSecondFactor" && actor === "admin" ? 403 : matrix[actor][subject],
    })),
  ),
)

test.each(cells)("$actor, $act on $subject: $status", async ({ act, actor, subject, status }) => {
  const acting = await createPerson(bound, actor)
  const other = subject === "self" ? acting : await createPerson(bound, subject)
  const premium = act === "revokePremium" ? "premium" : "free"
  const suspended = ["unsuspendUser", "cancelDeletion"].includes(act) ? 1 : null
  const deleted = act === "cancelDeletion" ? 9e12 : null
  const factor = act === "resetSecondFactor" ? 1 : null
  await env.DB.prepare(
    "update user set plan = ?, suspended_at = ?, delete_at = ?, second_factor_since = ? where id = ?",
  )
    .bind(premium, suspended, deleted, factor, other.id)
    .run()
  // They have shown it themselves.
  await env.DB.prepare("update session set factor = 'totp' where user_id = ? and ?")
    .bind(acting.id, Number(factor === 1 && subject === "self"))
    .run()
  const before = await stateOf(other.id)
  const body = { userId: other.id, ...bodies[act] }
  const answer =
    bodies[act] === undefined
      ? await acting.get(`${act}?userId=${other.id}`)
      : await acting.post(act, body)
  const isChanged = JSON.stringify(await stateOf(other.id)) !== JSON.stringify(before)
  const code = status === 403 ? "FORBIDDEN" : undefined
  expect([answer.status, answer.body["code"], isChanged]).toEqual([status, code, status === 200])
})

/** The plan, sessions, resets, the suspension, and what the audit log says of acts on the account. */
async function stateOf(userId: string) {
  const plan = env.DB.prepare(
    `select plan, suspended_at, delete_at, second_factor_since, (select count(*) from session where user_id = user.id) as sessions,
      (select count(*) from verification where value = user.id) as resets from user where id = ?`,
  ).bind(userId)
  const entries = env.DB.prepare(
    "select action, actor_id from audit_entry where subject_id = ? and actor_id <> subject_id",
  ).bind(userId)
  const results = await env.DB.batch([plan, entries])
  return results.map((result) => result.results)
}
