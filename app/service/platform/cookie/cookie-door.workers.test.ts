import { expect, test } from "vitest"

import { servicesOf } from "../../../services.ts"
import { bind, bindProduction, createBrowser, webUrl } from "../../../testing/browser.ts"
import { createPerson } from "../../../testing/person.ts"
import { visitProvider } from "../../../testing/provider-visit.ts"
import type { Env } from "../configuration/env.ts"
import { browserCookies, ownCookies } from "./browser-cookies.ts"
import { onlyOwn } from "./cookie-door.ts"

/* Generated cookie headers that a sibling of the API's host can cause. */

const origin = "https://app.example.com"
const password = "a good long password"

const configurations = [
  ["shared by a domain", bindProduction({ VERIFY_EMAIL: "false" })],
  ["of one host", bindProduction({ VERIFY_EMAIL: "false", AUTH_COOKIE_DOMAIN: "" })],
] as const

async function signUp(bound: (typeof configurations)[number][1]) {
  const browser = createBrowser(bound, origin)
  const email = `ada-${crypto.randomUUID()}@example.com`
  const answer = await browser.post("/api/auth/sign-up/email", { name: "Ada", email, password })
  const { user } = await answer.json<{ user: { id: string } }>()
  const pair = [...browser.cookies].find(([name]) => name.endsWith("session_token"))
  return { id: user.id, name: pair?.[0] ?? "", value: pair?.[1] ?? "" }
}

/** Returns the users that the different readers of a session find for a header. */
async function callers(bound: Env, cookie: string) {
  const browser = createBrowser(bound, bound.WEB_URL)
  const ask = async (path: string) => {
    const answer = await browser.get(path, { cookie })
    return answer.ok ? /"(user_\w+)"/.exec(await answer.text())?.[1] : undefined
  }
  return new Set([
    await ask("/api/auth/get-session"),
    await ask("/api/auth/get-session?disableCookieCache=true"),
    await ask("/api/v1/getProfile"),
    await ask("/api/auth/list-sessions"),
    await ask("/api/auth/list-accounts"),
  ])
}

/** Every character that some reader may trim, fold, unquote or end a name at; `;` and `=` are the grammar's. */
const strange = [...Array(0x3100).keys(), 0xfeff, 0xfffd, 0xff1d, 0xff1b]
  .map((code) => String.fromCharCode(code))
  .filter((text) => /[\s\p{C}\p{Z}"'(),/:<>?@[\\\]{}%+]/u.test(text))
  // A header cannot hold the first three at all, and the others are the grammar's own white space.
  .filter((text) => !/[\0\n\r\t ]/.test(text))

test.each(configurations)("no name but a cookie's own is taken for it, %s", async (_, bound) => {
  const mallory = await signUp(bound)
  const { name, value } = mallory
  const prefixed = ["__Secure-", "__Host-", "__Http-", ""].map((prefix) =>
    name.replace(/^__[A-Z][a-z]+-/, prefix),
  )
  const cases = [name.toUpperCase(), name.toLowerCase(), ...prefixed]
  const spaces = strange.filter((text) => /[\s"]/.test(text))
  const names = [
    ...spaces.flatMap((text) => [`${text}${name}`, `${name}${text}`, `${text}${name}${text}`]),
    ...cases.filter((variant) => variant !== name),
    `$${name}`,
    `__Host-${name}`,
    `__Secure-${name}`,
    `${name} `,
  ]
  expect(names.length).toBeGreaterThan(70)
  expect(await callers(bound, `${name}=${value}`)).toEqual(new Set([mallory.id]))
  // In batches, since none of them may be taken.
  for (let start = 0; start < names.length; start += 30) {
    const cookie = names
      .slice(start, start + 30)
      .map((cookieName) => `${cookieName}=${value}`)
      .join("; ")
    expect([start, await callers(bound, cookie)]).toEqual([start, new Set([undefined])])
  }
})

test("behind the entrance are the service's own names, each once, whatever was sent", async () => {
  const bound = bindProduction({ READ_REPLICATION: "auto" })
  const services = servicesOf(bound)
  if (services === null) throw new Error("misconfigured")
  const ownNames = [...ownCookies(services.configuration).keys()].map((name) =>
    name.replace("*", "a-B_9"),
  )
  expect(ownNames.length).toBe(10)
  const filter = (cookie: string) => onlyOwn(cookie, { ...services, ...services.configuration })
  // The library signs two of them, and these are of no key.
  const unsigned = ownNames.filter((name) => !/session_token|dont_remember/.test(name))
  const once = unsigned.map((name) => `${name}=1`).join("; ")
  expect(filter(ownNames.map((name) => `${name}=1`).join("; "))).toBe(once)
  expect(filter(`${once}; ${unsigned.map((name) => `${name}=2`).join("; ")}`)).toBe(once)
  for (const text of strange) {
    const names = ownNames.flatMap((name) => [
      `${text}${name}`,
      `${name}${text}`,
      `${name.slice(0, 9)}${text}${name.slice(9)}`,
    ])
    // Not at home in a value either.
    const values = /[^\x21-\x7e]|["\\,]/.test(text) ? [`"1"`, `1${text}1`, text] : [`"1"`]
    const pairs = [
      ...names.map((name) => `${name}=1`),
      ...ownNames.flatMap((name) => values.map((value) => `${name}=${value}`)),
    ].join("; ")
    expect([text, filter(pairs)]).toEqual([text, ""])
    expect([text, filter(`${pairs}; ${once}`)]).toEqual([text, once])
  }
})

test.each(configurations)("all routes take the same one of several, %s", async (_, bound) => {
  const [ada, mallory] = [await signUp(bound), await signUp(bound)]
  const adaPair = `${ada.name}=${ada.value}`
  const malloryPair = `${mallory.name}=${mallory.value}`
  for (const between of ["; ", ";", "; ;", ";\t", " ; ", "; a; ", "; =; ", '; a="; ']) {
    expect(await callers(bound, `${adaPair}${between}${malloryPair}`)).toEqual(new Set([ada.id]))
    expect(await callers(bound, `${malloryPair}${between}${adaPair}`)).toEqual(
      new Set([mallory.id]),
    )
  }
  // A value without a signature, or in a form that this service never writes, is ignored.
  const wrong = ["", "x", `"${mallory.value}"`, `${mallory.value}\u2000`, `${mallory.value}x`, "%"]
  for (const value of wrong) {
    expect([value, await callers(bound, `${ada.name}=${value}; ${adaPair}`)]).toEqual([
      value,
      new Set([ada.id]),
    ])
  }
})

test.each(configurations)(
  "nothing reaches the library that it alone knows, %s",
  async (_, bound) => {
    const ada = await signUp(bound)
    const prefix = ada.name.replace(/session_token$/, "")
    const names = [
      "session_data",
      "session_data.0",
      "account_data",
      "better-auth-session_token",
      "state",
    ]
    for (const name of names) {
      for (const value of ["!", "%", "e30.e30.e30", "=", '"']) {
        const cookie = `${prefix}${name}=${value}; ${ada.name}=${ada.value}`
        expect([name, value, await callers(bound, cookie)]).toEqual([
          name,
          value,
          new Set([ada.id]),
        ])
      }
    }
  },
)

/* Cookies that a sibling of the API's host can plant in a browser. */

test("A33: cookies under the names of pending sign-ins neither stop one nor take its place", async () => {
  const names = [
    "mallory.oauth_state",
    ".oauth_state",
    "__Secure-accounts-local-host.abcdefgh.oauth_state",
    "ACCOUNTS-LOCAL-HOST.abcdefgh.oauth_state",
    '"quoted".oauth_state',
    "a b.oauth_state",
    "a,b.oauth_state",
  ]
  for (const value of ["", "x", "%E0%A4%A", "=", "x".repeat(500)]) {
    const { browser, provider, finish, session } = await visitProvider()
    const planted = names.map((name) => `${name}=${value}`).join("; ")
    const started = await browser.get("/api/auth/sign-in/idp", { cookie: planted })
    const location = started.headers.get("location") ?? ""
    expect([value, started.status, location.startsWith(provider.issuer)]).toEqual([
      value,
      302,
      true,
    ])
    expect(await finish(provider.authorize(location))).toBe(webUrl)
    expect(await session()).not.toBeNull()
  }
})

test("A37: a session that is planted is its owner's alone: nothing of the browser's own is in it", async () => {
  const [victim, mallory] = [await createPerson(), await createPerson()]
  await victim.post("updateProfile", { name: "mine" })
  const planted = createBrowser()
  for (const [name, value] of victim.browser.cookies) {
    if (!name.includes("session")) planted.cookies.set(name, value)
  }
  for (const [name, value] of mallory.browser.cookies) planted.cookies.set(name, value)
  const cookie = [...planted.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
  expect(await callers(bind(), cookie)).toEqual(new Set([mallory.id]))
  expect(await (await planted.get("/api/v1/getProfile")).json()).toMatchObject({ name: "Ada" })
  await planted.post("/api/auth/revoke-sessions")
  expect(await (await victim.browser.get("/api/auth/get-session")).json()).not.toBeNull()
})

const idp = {
  IDENTITY_PROVIDERS: JSON.stringify({
    idp: { issuer: "https://id.example.com", scopes: ["openid", "email"] },
  }),
  IDP_CLIENT_ID: "client",
  IDP_CLIENT_SECRET: "secret",
}

const production = {
  environment: "production",
  permanent: true,
  url: "https://api.example.com",
  readReplication: false,
}

test.each([
  {
    title: "shared by a domain",
    bound: bindProduction({ VERIFY_EMAIL: "false", ...idp }),
    origin: "https://app.example.com",
    scope: { ...production, cookieDomain: "example.com" },
  },
  {
    title: "of one host",
    bound: bindProduction({ VERIFY_EMAIL: "false", AUTH_COOKIE_DOMAIN: "", ...idp }),
    origin: "https://app.example.com",
    scope: { ...production, cookieDomain: undefined },
  },
  {
    title: "with read replication",
    bound: bindProduction({ VERIFY_EMAIL: "false", READ_REPLICATION: "auto" }),
    origin: "https://app.example.com",
    scope: { ...production, cookieDomain: "example.com", readReplication: true },
  },
  {
    title: "over plain http",
    bound: bind({ ENVIRONMENT: "local", AUTH_URL: "http://localhost:8787", ...idp }),
    origin: undefined,
    scope: {
      environment: "local",
      permanent: false,
      url: "http://localhost:8787",
      cookieDomain: undefined,
      readReplication: false,
    },
  },
])("the service sets the cookies that reviewers are told of, $title", async (row) => {
  const browser = createBrowser(row.bound, row.origin)
  const user = { email: `ada-${crypto.randomUUID()}@example.com`, password: "a good long password" }
  const answers = [
    await browser.post("/api/auth/sign-up/email", { name: "Ada", ...user }),
    await browser.post("/api/auth/sign-in/email", { ...user, rememberMe: false }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  const documented = browserCookies(row.scope)
  const setCookies = answers.flatMap(({ headers }) => headers.getSetCookie()).map(describeCookie)
  expect(new Set(setCookies.map(({ name }) => name)).size).toBeGreaterThanOrEqual(3)
  for (const { name, attributes } of setCookies) {
    expect({ name, attributes }).toEqual({
      name,
      attributes: documented[name]?.split("; ").toSorted(),
    })
  }
})

function describeCookie(line: string) {
  const [pair = "", ...attributes] = line.split("; ")
  const stable = attributes.filter((attribute) => !/^(?:Max-Age|Expires)=/i.test(attribute))
  return { name: pair.split("=")[0] ?? "", attributes: stable.toSorted() }
}
