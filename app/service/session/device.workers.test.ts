import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { type Browser, createBrowser } from "../../testing/browser.ts"
import { insertFactors } from "../../testing/factor-person.ts"
import { createPerson } from "../../testing/person.ts"
import { deviceOf } from "../platform/http/device.ts"

const agents: [agent: string, browser: string | null, system: string | null][] = [
  ["Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0", "Firefox", "Linux"],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0",
    "Edge",
    "Windows",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
    "Safari",
    "iPhone",
  ],
  [
    "Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/142.0 Mobile/15E148 Safari/604.1",
    "Chrome",
    "iPad",
  ],
  [
    "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36",
    "Chrome",
    "Android",
  ],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 OPR/124.0.0.0",
    "Opera",
    "macOS",
  ],
  ["curl/8.15.0", null, null],
  ["", null, null],
]

test.each(agents)("%s is %s on %s", (agent, browser, system) => {
  expect(deviceOf(agent)).toEqual({ browser, system })
})

type Listed = { id: string; name: string | null; device: { browser: string | null } }

async function list(browser: Browser) {
  return (await browser.get("/api/auth/list-sessions")).json<Listed[]>()
}

test("sessions are listed with their devices, and the names that their owner gives and takes", async () => {
  const person = await createPerson()
  const [agent = ""] = agents[0] ?? []
  const set = env.DB.prepare("update session set user_agent = ? where user_id = ?")
  await set.bind(agent, person.id).run()
  const [first] = await list(person.browser)
  expect(first).toMatchObject({ name: null, device: { browser: "Firefox", system: "Linux" } })
  const sessionId = first?.id
  const rename = (name: unknown) => person.post("renameSession", { sessionId, name })
  expect(await rename("  Laptop ")).toEqual({
    status: 200,
    body: { id: sessionId, name: "Laptop" },
  })
  expect(await list(person.browser)).toMatchObject([{ name: "Laptop" }])
  const session = await person.browser.get("/api/auth/get-session")
  expect(await session.json()).toMatchObject({ session: { name: "Laptop" } })
  for (const wrong of ["", " ", "x".repeat(101), "two\nlines", 7]) {
    expect((await rename(wrong)).status).toBe(400)
  }
  expect((await rename(null)).body).toMatchObject({ name: null })
  // A session that is due for renewal is listed by the library, with the same fields.
  await env.DB.prepare("update session set expires_at = ? where user_id = ?")
    .bind(Date.now() + 24 * 60 * 60 * 1000, person.id)
    .run()
  expect(await list(person.browser)).toMatchObject([
    { id: sessionId, device: { browser: "Firefox", system: "Linux" } },
  ])
})

test("a member can name neither another member's session nor one that has ended", async () => {
  const [person, stranger] = [await createPerson(), await createPerson()]
  const [session] = await list(person.browser)
  const body = { sessionId: session?.id, name: "Mine" }
  expect(await stranger.post("renameSession", body)).toMatchObject({
    status: 404,
    body: { code: "NOT_FOUND" },
  })
  expect(await person.post("renameSession", { ...body, sessionId: "session_0" })).toMatchObject({
    status: 404,
  })
  await person.browser.post("/api/auth/sign-out")
  expect((await person.post("renameSession", body)).status).toBe(401)
  expect((await createBrowser().post("/api/v1/renameSession", body)).status).toBe(401)
})

test("the list of sign-in methods names them all, and none of their secrets", async () => {
  const person = await createPerson()
  const { id } = person
  const nothing = {
    password: true,
    passwordChangedAt: expect.any(String),
    passwordRemoval: "last_method",
    emailCode: false,
    providers: [],
    passkeys: [],
    acceptedPasskeys: expect.objectContaining({ allAcceptedCredentialIds: [] }),
    secondFactor: null,
    secondFactorRequired: false,
  }
  expect((await person.get("listWays")).body).toEqual({ ...nothing, trustedBrowsers: [] })
  await insertFactors(id)
  const { body } = await person.get("listWays")
  expect(body).toMatchObject({
    passkeys: [{ id: `passkey_${id}`, name: "Phone", usedAt: null }],
    acceptedPasskeys: { allAcceptedCredentialIds: [`credential of ${id}`] },
    secondFactor: { totp: true, recoveryCodes: 2 },
    trustedBrowsers: [{ userAgent: "Firefox" }],
  })
  expect(JSON.stringify(body)).not.toMatch(/sealed|secret|(?:one|two) of/)
  const stranger = await createPerson()
  expect((await stranger.get("listWays")).body).toEqual({ ...nothing, trustedBrowsers: [] })
})
