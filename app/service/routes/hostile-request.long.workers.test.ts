import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import { bind, createBrowser } from "../../testing/browser.ts"
import { operations } from "../../testing/described.ts"
import { createPerson, password } from "../../testing/person.ts"

/** Parameters and fields as no front end sends them. */
const odd = [
  "id=1&id=2&email=a&email=b&token=x&token=y&cursor=1&cursor=2&limit=1&limit=2",
  "id[]=1&id[$ne]=&cursor[0]=x&limit[]=5&callbackURL[]=https://evil.example",
  "__proto__[role]=owner&constructor[prototype][role]=owner&__proto__=x",
  "id=%&cursor=%E0%A4%A&token=%00&limit=%ff",
  `cursor=${"A".repeat(2500)}&id=${"x".repeat(300)}&limit=1e309`,
  "limit=-1&limit=0x10&cursor=MS5hYmM&from=0000-00-00T00:00:00Z&disableRefresh=x",
]

const bodies = [
  "null",
  "[]",
  '""',
  "{",
  '{"__proto__":{"role":"owner"},"constructor":{"role":"owner"},"role":"owner","id":"user_x","userId":["a"],"name":{"$gt":""}}',
  `{"email":["a@b.co"],"password":{"length":9},"token":null,"newPassword":1,"providerId":{}}`,
  `{"name":${"[".repeat(3000)}${"]".repeat(3000)}}`,
]

const types = [
  "application/json",
  "application/json; charset=utf-7",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "text/plain",
  "application/xml",
]

test.each(operations)(
  "A20: $method $path fails on no odd request, and takes neither a role nor an id from one",
  async ({ method, path }) => {
    const bound = bind({ LIMIT_EMAIL: undefined, LIMIT_ADDRESS: undefined })
    const { browser, id } = await createPerson(bound)
    const cookies = [...browser.cookies]
    const statuses: number[] = []
    const requests =
      method === "GET"
        ? odd.map((query) => ({ query, init: {} }))
        : types.flatMap((type) =>
            bodies.map((body) => ({
              query: odd[0],
              init: { headers: { "content-type": type }, body },
            })),
          )
    for (const { query, init } of requests) {
      // Whatever one of them ends, the next has a session.
      for (const [name, value] of cookies) browser.cookies.set(name, value)
      const filled = path.replaceAll(/\{\w+\}/g, "idp")
      statuses.push((await browser.send(method, `${filled}?${query}`, init)).status)
    }
    expect(statuses.filter((status) => status >= 500 && status !== 503)).toEqual([])
    expect(Reflect.get({}, "role")).toBeUndefined()
    const row = await env.DB.prepare("select id, role, name, plan from user where id = ?")
      .bind(id)
      .first()
    expect([undefined, { id, role: "member", name: "Ada", plan: "free" }]).toContainEqual(
      row ?? undefined,
    )
  },
)

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

test("a parameter that comes thousands of times is read once, and refused", async () => {
  const { browser } = await createPerson()
  using getAll = vi.spyOn(URLSearchParams.prototype, "getAll")
  const response = await browser.get(`/api/v1/listSecurityEvents?${"limit=1&".repeat(2000)}`)
  expect(response.status).toBe(400)
  expect(getAll.mock.calls.length).toBeLessThan(10)
})

test("of thousands of cookies, those of the session are found, and a forged one before them is not believed", async () => {
  const [ada, eve] = [await createPerson(), await createPerson()]
  const pairs = [...ada.browser.cookies].map(([name, value]) => `${name}=${value}`)
  const forged = pairs.map((pair) => pair.replace(/=.*/, "=forged.signature"))
  const many = Array.from({ length: 3000 }, (_, index) => `c${index}=${index}`)
  const ask = async (cookie: string) => {
    const response = await createBrowser().get("/api/auth/get-session", { cookie })
    expect(response.status).toBe(200)
    return (await response.json<{ user: { id: string } } | null>())?.user.id
  }
  expect(await ask([...many, ...pairs].join("; "))).toBe(ada.id)
  for (const mixed of [
    [...forged, ...pairs],
    [...pairs, ...forged],
    [...forged, ...many],
  ]) {
    expect([undefined, ada.id]).toContain(await ask(mixed.join("; ")))
  }
  const evePairs = [...eve.browser.cookies].map(([name, value]) => `${name}=${value}`)
  expect([ada.id, eve.id]).toContain(await ask([...pairs, ...evePairs].join("; ")))
})
