import { env } from "cloudflare:workers"
import { afterAll, expect, test } from "vitest"

import routes from "../../../docs/routes.json"
import { createAuthenticator } from "../../testing/authenticator.ts"
import { copyBrowser, createBrowser } from "../../testing/browser.ts"
import { createEveryRoute } from "../../testing/every-route.ts"
import { createInterruptedDatabase } from "../../testing/interrupted-database.ts"
import { createProvenPerson } from "../../testing/passkey-person.ts"
import { password } from "../../testing/person.ts"

/* Who has been signed out meanwhile writes nothing, and signs nobody out. */

const { bound, network } = await createEveryRoute()
const remotes = network()
afterAll(() => remotes[Symbol.dispose]())

/** They change nothing of the member's: they only begin what is checked again at its end. */
const without = new Set(["link-social", "passkey/begin", "step-up/begin"])

const paths = Object.entries(routes).flatMap(([route, { who }]) => {
  const [, path = ""] = /^POST \/api\/auth\/(\S+)/.exec(route) ?? []
  return path === "" || who === "anybody" || without.has(path) ? [] : [path]
})

/** A member with two ways in and two browsers, with what each route is sent. */
async function createMember() {
  const person = await createProvenPerson(bound)
  const signIn = { email: person.email, password }
  const response = await createBrowser(bound).post("/api/auth/sign-in/email", signIn)
  const { token } = await response.json<{ token: string }>()
  const begin = async (purpose: string) =>
    Object(await (await person.browser.post("/api/auth/passkey/begin", { for: purpose })).json())
  const key = await createAuthenticator()
  const passkey = key.create((await begin("add"))["create"])
  await env.DB.prepare(
    `insert into account (id, account_id, provider_id, issuer, user_id, created_at, updated_at)
     values (?1, ?1, 'idp', 'https://idp.example', ?2, 1, 1)`,
  )
    .bind(crypto.randomUUID(), person.id)
    .run()
  const bodies: Record<string, unknown> = {
    "change-password": { currentPassword: password, newPassword: "another long password" },
    "delete-user": { password },
    "passkey/add": { passkey, name: "Key" },
    "revoke-session": { token },
    "revoke-sessions": {},
    "revoke-other-sessions": {},
    "set-password": { newPassword: "another long password" },
    "step-up": { password },
    "unlink-account": { providerId: "idp" },
  }
  return { person, token, bodies }
}

/** All rows that belong to somebody. */
async function census() {
  const { results } = await env.DB.prepare(
    "select name from sqlite_schema where type = 'table' and sql like '%user_id%'",
  ).all<{ name: string }>()
  const tables = ["user", "audit_entry", ...results.map(({ name }) => name)]
  const rowsByTable = await env.DB.batch(
    tables.map((table) => env.DB.prepare(`select * from ${table}`)),
  )
  return rowsByTable.map((rows, index) => [tables[index], rows.results])
}

test.each(paths)("%s writes nothing once its session has ended", async (path) => {
  const { person, token, bodies } = await createMember()
  expect(Object.keys(bodies)).toContain(path)
  if (path === "set-password") {
    await env.DB.prepare(
      "update account set password = null where user_id = ? and provider_id = 'credential'",
    )
      .bind(person.id)
      .run()
  }
  const { database, interrupt, isDone } = createInterruptedDatabase()
  const late = copyBrowser(person.browser, { ...bound, DB: database })
  const states: unknown[] = []
  interrupt(/(?:insert into|update|delete from) "(?!attempt)/, async () => {
    const statement = env.DB.prepare("delete from session where user_id = ? and token <> ?")
    await statement.bind(person.id, token).run()
    states.push(await census())
  })
  const answer = await late.post(`/api/auth/${path}`, bodies[path])
  expect([isDone(), answer.status, await answer.json()]).toMatchObject([
    true,
    401,
    { code: "UNAUTHORIZED" },
  ])
  expect(await census()).toEqual(states[0])
})
