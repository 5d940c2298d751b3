import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind, createBrowser } from "../../testing/browser.ts"
import { createInterruptedDatabase } from "../../testing/interrupted-database.ts"
import { createPerson, password } from "../../testing/person.ts"

/* Who has been signed out meanwhile signs nobody out. */

test.each(["revoke-session", "revoke-sessions", "revoke-other-sessions"])(
  "%s ends nothing once its own session has ended",
  async (path) => {
    const { database, interrupt, isDone } = createInterruptedDatabase()
    const bound = bind()
    const person = await createPerson(bound)
    const signedIn = await createBrowser(bound).post("/api/auth/sign-in/email", {
      email: person.email,
      password,
    })
    const { token } = await signedIn.json<{ token: string }>()
    const late = createBrowser({ ...bound, DB: database })
    for (const [cookie, value] of person.browser.cookies) late.cookies.set(cookie, value)
    const own = env.DB.prepare("delete from session where user_id = ? and token <> ?")
    interrupt(/delete from "session"/, () => own.bind(person.id, token).run())
    const answer = await late.post(`/api/auth/${path}`, path === "revoke-session" ? { token } : {})
    expect(isDone()).toBe(true)
    const left = env.DB.prepare("select token from session where user_id = ?").bind(person.id)
    expect([answer.status, (await left.all()).results]).toEqual([401, [{ token }]])
  },
)
