import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { createBrowser } from "../testing/browser.ts"
import { createPerson, password } from "../testing/person.ts"

test("of a key that a body has twice, the last is what is counted, stored and answered", async () => {
  const [first, last] = [0, 1].map(() => `twice-${crypto.randomUUID()}@example.com`)
  const browser = createBrowser()
  const headers = { "content-type": "application/json" }
  const body = `{"name":"Ada","password":${JSON.stringify(password)},"email":"${first}","email":"${last}"}`
  const response = await browser.send("POST", "/api/auth/sign-up/email", { headers, body })
  const { user } = await response.json<{ user: { id: string; email: string } }>()
  expect(user.email).toBe(last)
  const wrong = `{"password":"a wrong long password","email":"${first}","email":"${last}"}`
  const refused = await browser.send("POST", "/api/auth/sign-in/email", { headers, body: wrong })
  expect(refused.status).toBe(401)
  const { results } = await env.DB.prepare("select action from audit_entry where subject_id = ?")
    .bind(user.id)
    .all()
  expect(results).toContainEqual({ action: "sign_in_refused" })
})

test.each(["__proto__", "constructor"])("a body may not set %s", async (name) => {
  const person = await createPerson()
  const headers = { "content-type": "application/json" }
  const body = `{"name":"Grace","${name}":{"role":"owner","isOwner":true}}`
  const response = await person.browser.send("POST", "/api/v1/updateProfile", { headers, body })
  expect(response.status).toBeLessThan(500)
  expect(Reflect.get({}, "role")).toBeUndefined()
  expect((await person.get("getProfile")).body).toMatchObject({ role: "member" })
})

test("of thousands of cookies, those of the session are found, and a forged one before them is not believed", async () => {
  const [one, other] = [await createPerson(), await createPerson()]
  const pairs = [...one.browser.cookies].map(([name, value]) => `${name}=${value}`)
  const forged = pairs.map((pair) => pair.replace(/=.*/, "=forged.signature"))
  const many = Array.from({ length: 3000 }, (_, index) => `c${index}=${index}`)
  const ask = async (cookie: string) => {
    const response = await createBrowser().get("/api/auth/get-session", { cookie })
    expect(response.status).toBe(200)
    return (await response.json<{ user: { id: string } } | null>())?.user.id
  }
  expect(await ask([...many, ...pairs].join("; "))).toBe(one.id)
  for (const mixed of [
    [...forged, ...pairs],
    [...pairs, ...forged],
    [...forged, ...many],
  ]) {
    expect([undefined, one.id]).toContain(await ask(mixed.join("; ")))
  }
  const both = [...other.browser.cookies].map(([name, value]) => `${name}=${value}`)
  expect([one.id, other.id]).toContain(await ask([...pairs, ...both].join("; ")))
})
