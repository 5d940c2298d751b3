import { env } from "cloudflare:workers"
import { getTableName, is } from "drizzle-orm"
import { SQLiteTable } from "drizzle-orm/sqlite-core"
import { beforeAll, expect, test } from "vitest"

import { router } from "../../router.ts"
import { schema } from "../../schema.ts"
import { createEveryRoute, isOfLetter, visitEveryRoute } from "../../testing/every-route.ts"
import { ofNouns } from "../../testing/nouns.ts"
import { sweepStatements } from "../sweep/sweep.ts"

/** Round trips to the database per request, each of tens of milliseconds in production. */
const expected: Record<string, number> = {
  "sign-up": 2,
  "sign-up, invited": 2,
  "sign-in": 2,
  "sign-in, wrong password": 1,
  "get-session": 1,
  "list-sessions": 1,
  "change-password": 3,
  "send-verification-email": 1,
  "verify-email": 1,
  "verify-email, elsewhere": 1,
  "verify-email-with-password": 2,
  "request-password-reset": 1,
  "reset-password": 2,
  "list-accounts": 2,
  "set-password": 2,
  changeEmail: 2,
  confirmEmail: 2,
  renameSession: 2,
  listWays: 1,
  getOverview: 1,
  "link-social": 1,
  "provider callback, adding": 2,
  "unlink-account": 2,
  "open a reset": 3,
  "callback by a form": 0,
  "revoke-session": 2,
  "revoke-other-sessions": 2,
  "revoke-sessions": 2,
  "provider start": 0,
  "provider callback, first": 2,
  "provider callback": 2,
  "sign-out": 1,
  "delete-user": 3,
  "step-up": 3,
  "step-up/begin": 3,
  "step-up, emailed code": 3,
  "sign-in/code/begin": 1,
  "sign-in/code": 2,
  beginTotp: 1,
  confirmTotp: 3,
  "sign-in, second factor asked": 2,
  "sign-in, second factor": 2,
  "sign-in, trusted browser": 3,
  "step-up, code": 3,
  renewRecoveryCodes: 3,
  "step-up, recovery code": 3,
  forgetBrowsers: 2,
  turnOffSecondFactor: 2,
  "passkey-begin": 0,
  "passkey-begin, to add": 1,
  "passkey-add": 2,
  "sign-in, passkey": 2,
  "step-up, passkey": 3,
  renamePasskey: 2,
  removePasskey: 2,
  health: 0,
  whoami: 1,
  "whoami, signed out": 0,
  getProfile: 1,
  updateProfile: 2,
  getPlanAndUsage: 1,
  exportData: 1,
  ...ofNouns(({ statements }) => statements),
  createToken: 1,
  getTokenKeys: 0,
  settings: 0,
  makeUserAdmin: 2,
  changeRole: 2,
  grantPremium: 2,
  revokePremium: 2,
  suspendUser: 2,
  unsuspendUser: 2,
  scheduleDeletion: 2,
  cancelDeletion: 2,
  endSessions: 2,
  sendReset: 3,
  resetSecondFactor: 2,
  recoverAccount: 2,
  inviteUser: 2,
  revokeInvitation: 2,
  listInvitations: 1,
  listSecurityEvents: 1,
  listUsers: 1,
  "listUsers by address": 1,
  "listUsers by former address": 1,
  "listUsers by id": 1,
  "listUsers by anything": 1,
  readMember: 1,
  getMemberAccess: 2,
  listAuditEntries: 1,
  "listAuditEntries of an action": 1,
  "listAuditEntries of an actor": 1,
  "listAuditEntries of all three": 1,
}

const every = await createEveryRoute()

const tables = new Set<string>(
  Object.values(schema).flatMap((table) => (is(table, SQLiteTable) ? [getTableName(table)] : [])),
)

const sent: Record<string, string[]> = {}

beforeAll(async () => {
  using _ = every.network()
  await visitEveryRoute(every, async (name, action) => {
    const statements = await every.counting.during(action)
    sent[name] = statements.filter((sql) => !isOfLetter(sql))
  })
})

test.each(Object.entries(expected))("%s sends %i statements", (name, count) => {
  expect({ name, count: sent[name]?.length, sql: sent[name] }).toMatchObject({ count })
})

test("every operation says how many statements it sends", () => {
  expect(Object.keys(expected)).toEqual(expect.arrayContaining(Object.keys(router)))
  expect(Object.keys(sent).toSorted()).toEqual(Object.keys(expected).toSorted())
})

test("no request sends more than four statements", () => {
  const many = Object.entries(expected).flatMap(([name, count]) => (count > 4 ? [name] : []))
  expect(many).toEqual([])
})

test("no statement scans a table, and no list is sorted", async () => {
  const parts = Object.entries(sent).flatMap(([name, statements]) =>
    statements.flatMap((sql) => sql.split(";\n").map((part) => ({ name, sql: part }))),
  )
  const swept = sweepStatements(new Date()).map(({ name, sql }) => ({ name, sql }))
  const scans: unknown[] = []
  const sorts: unknown[] = []
  for (const { name, sql } of [...parts, ...swept]) {
    const count = sql.includes("?1") ? Number(sql.includes("?2")) + 1 : sql.split("?").length - 1
    const { results } = await env.DB.prepare(`explain query plan ${sql}`)
      .bind(...Array.from({ length: count }, () => 1))
      .all<{ detail: string }>()
    for (const { detail } of results) {
      const scanned = /^SCAN (\w+)$/.exec(detail)?.[1] ?? ""
      if (tables.has(scanned)) scans.push({ name, detail, sql })
      // An index may end with the time: then only rows of one millisecond are sorted.
      const isSorted = detail.includes("ORDER BY") && !detail.includes("LAST TERM OF ORDER BY")
      if (name.startsWith("list") && isSorted) sorts.push({ name, detail, sql })
    }
  }
  expect({ scans, sorts }).toEqual({ scans: [], sorts: [] })
})
