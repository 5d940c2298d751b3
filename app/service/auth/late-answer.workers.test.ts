import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind, copyBrowser } from "../../testing/browser.ts"
import { createInterceptedDatabase } from "../../testing/counting-database.ts"
import { createPerson, password, type Person } from "../../testing/person.ts"

/* An answer that was asked before a change of the same browser, and comes after it. */

const changes: Record<string, (person: Person) => Promise<unknown>> = {
  "a new name": (person) => person.post("updateProfile", { name: "Grace" }),
  "its session ended": ({ browser }) =>
    browser.post("/api/auth/revoke-session", { token: tokenOf(browser.cookies) }),
  "all sessions ended": ({ browser }) => browser.post("/api/auth/revoke-sessions"),
  "a sign-out": ({ browser }) => browser.post("/api/auth/sign-out"),
  "a new password": ({ browser }) =>
    browser.post("/api/auth/change-password", {
      currentPassword: password,
      newPassword: "another long password",
      revokeOtherSessions: true,
    }),
  "the account deleted": ({ browser }) => browser.post("/api/auth/delete-user", { password }),
}

function tokenOf(cookies: Map<string, string>) {
  const [, value = ""] = [...cookies].find(([name]) => name.endsWith("session_token")) ?? []
  return decodeURIComponent(value).split(".")[0]
}

const asks = ["/api/auth/get-session", "/api/v1/whoami"]
const cases = Object.keys(changes).flatMap((change) => asks.map((ask) => ({ change, ask })))

test.each(cases)("$ask brings back nothing of before: $change", async ({ change, ask }) => {
  const bound = bind()
  const person = await createPerson(bound)
  const { browser } = person
  const state = { isChanged: false }
  const database = createInterceptedDatabase(env.DB, async (_sql, send) => {
    const read = await send()
    if (!state.isChanged) {
      state.isChanged = true
      await new Promise((resolve) => void setTimeout(resolve, 2))
      await changes[change]?.(person)
    }
    return read
  })
  // The other tab, whose cookies are the same.
  const tab = copyBrowser(browser, { ...bound, DB: database })
  const held = new Map(tab.cookies)
  await tab.get(ask)
  expect(state.isChanged).toBe(true)
  // What it sets comes over what the change has set.
  for (const [name, value] of tab.cookies) {
    if (held.get(name) !== value) browser.cookies.set(name, value)
  }
  const answer = await browser.get("/api/auth/get-session")
  const now = await answer.json<{ user: { name: string } } | null>()
  const lasts = change === "a new name" || change === "a new password"
  expect(now === null).toBe(!lasts)
  const told = await (await browser.get("/api/v1/whoami")).json()
  expect(told).toMatchObject(
    now === null ? { user: null } : { user: { id: person.id, name: now.user.name } },
  )
})
