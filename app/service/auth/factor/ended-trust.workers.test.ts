import { expect, test } from "vitest"

import { bind, createBrowser } from "../../../testing/browser.ts"
import { begin, createFactorPerson, finish, later } from "../../../testing/factor-person.ts"
import { createPerson } from "../../../testing/person.ts"

const bound = bind({ LIMIT_ADDRESS: undefined, LIMIT_EMAIL: undefined })

type FactorPerson = Awaited<ReturnType<typeof createFactorPerson>>

const ends: Record<string, [status: number, act: (person: FactorPerson) => Promise<unknown>]> = {
  "the owner ends all sessions": [403, ({ browser }) => browser.post("/api/auth/revoke-sessions")],
  "the owner ends all others": [
    403,
    ({ browser }) => browser.post("/api/auth/revoke-other-sessions"),
  ],
  "the owner ends one": [
    200,
    ({ browser }) => browser.post("/api/auth/revoke-session", { token: "x" }),
  ],
  "an admin ends all": [
    403,
    async ({ id: userId }) => (await createPerson(bound, "owner")).post("endSessions", { userId }),
  ],
  "an admin ends one": [
    200,
    async ({ id: userId }) =>
      (await createPerson(bound, "owner")).post("endSessions", { userId, sessionId: "x" }),
  ],
}

test.each(Object.entries(ends))(
  "whether a browser is trusted that is not there, once %s",
  async (_, [status, act]) => {
    const person = await createFactorPerson(bound)
    const lost = createBrowser(bound)
    await begin(lost, person)
    await finish(lost, { code: person.app.code(), trustBrowser: true })
    await later(person.id)
    expect((await begin(lost, person)).status).toBe(200)
    await act(person)
    expect((await begin(lost, person)).status).toBe(status)
  },
)
