import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind, createBrowser } from "../../testing/browser.ts"
import { begin, createFactorPerson, finish } from "../../testing/factor-person.ts"
import { createPerson, password } from "../../testing/person.ts"

/** Somebody with all that lets somebody in or is about to: sessions, a trusted browser, a step, a reset, a code. */
async function createBusyPerson() {
  const person = await createFactorPerson()
  const trusted = createBrowser()
  await begin(trusted, person)
  await finish(trusted, { recoveryCode: person.recoveryCodes[0], trustBrowser: true })
  const halfway = createBrowser()
  await begin(halfway, person)
  await env.DB.prepare(
    "insert into verification (id, identifier, value, expires_at, created_at, updated_at) values (?1, ?1, ?2, 9e15, 1, 1)",
  )
    .bind(`reset-${person.id}`, person.id)
    .run()
  return { ...person, halfway }
}

async function leftOf(userId: string) {
  const count = (table: string, column: string) =>
    env.DB.prepare(`select count(*) as n from ${table} where ${column} = ?`).bind(userId)
  const results = await env.DB.batch<{ n: number }>([
    count("session", "user_id"),
    count("trusted_browser", "user_id"),
    count("verification", "value"),
  ])
  const [sessions, browsers, verifications] = results.map(({ results: [row] }) => row?.n)
  return { sessions, browsers, verifications }
}

type Busy = Awaited<ReturnType<typeof createBusyPerson>>
const none = { sessions: 0, browsers: 0, verifications: 0 }

const acts: [string, (busy: Busy) => Promise<{ status: number }>, object][] = [
  ["revoke-sessions", ({ browser }) => browser.post("/api/auth/revoke-sessions"), none],
  [
    "revoke-other-sessions",
    ({ browser }) => browser.post("/api/auth/revoke-other-sessions"),
    { ...none, sessions: 1 },
  ],
  [
    "change-password",
    ({ browser }) =>
      browser.post("/api/auth/change-password", {
        currentPassword: password,
        newPassword: "another password",
        revokeOtherSessions: true,
      }),
    { ...none, sessions: 1 },
  ],
  ...(["endSessions", "resetSecondFactor"] as const).map(
    (act): [string, (busy: Busy) => Promise<{ status: number }>, object] => [
      act,
      async ({ id: userId }) => (await createPerson(bind(), "owner")).post(act, { userId }),
      none,
    ],
  ),
  [
    "suspendUser",
    async ({ id: userId }) =>
      (await createPerson(bind(), "owner")).post("suspendUser", { userId, reason: "abuse" }),
    none,
  ],
]

test.each(acts)(
  "%s ends all that lets somebody in, steps and codes too",
  async (_act, act, left) => {
    const busy = await createBusyPerson()
    expect((await act(busy)).status).toBe(200)
    expect(await leftOf(busy.id)).toEqual(left)
    const shown = await finish(busy.halfway, { recoveryCode: busy.recoveryCodes[1] })
    expect(shown).toMatchObject({ body: { code: "STEP_EXPIRED" } })
  },
)

test("an admin ends a sign-in that is under way, also where no session is", async () => {
  const busy = await createBusyPerson()
  await env.DB.prepare("delete from session where user_id = ?").bind(busy.id).run()
  const owner = await createPerson(bind(), "owner")
  expect((await owner.post("endSessions", { userId: busy.id })).status).toBe(200)
  expect(await leftOf(busy.id)).toEqual(none)
})
