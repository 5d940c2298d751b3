import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import { createBrowser, webUrl } from "../../../testing/browser.ts"
import { createInterruptedDatabase } from "../../../testing/interrupted-database.ts"
import { createMailbox } from "../../../testing/mailbox.ts"
import { createPerson, type Person } from "../../../testing/person.ts"
import { visitProvider } from "../../../testing/provider-visit.ts"
import type { Env } from "../../platform/configuration/env.ts"

const notLinked = `${webUrl}?error=account_not_linked`

function idOf(provider: { issuer: string }) {
  return { issuer: provider.issuer, emailDomains: ["*"] }
}

/** `idp` at the issuer of `provider`, and later at that of `other`. */
async function setUp() {
  const mailbox = createMailbox()
  const visit = await visitProvider({
    changes: { MAIL_URL: "https://mail.example/send" },
    remotes: { "mail.example": mailbox.remote },
  })
  const { bound, provider, other } = visit
  const moved = { ...bound, IDENTITY_PROVIDERS: JSON.stringify({ idp: idOf(other) }) }
  /** The same provider under another id. */
  const renamed = {
    ...bound,
    IDENTITY_PROVIDERS: JSON.stringify({ renamed: idOf(provider) }),
    IDP_RENAMED_CLIENT_ID: "client-at-the-provider",
  }
  const isMoved = (at: Env) => at === moved
  /** Signs in in a new browser, and returns where it ends up, and as whom. */
  const enter = async (claims: Record<string, unknown>, at: Env = bound) => {
    const issuing = isMoved(at) ? other : provider
    const id = at === renamed ? "renamed" : "idp"
    const browser = createBrowser(at, null)
    issuing.forge({ claims })
    const started = await browser.get(`/api/auth/sign-in/${id}`)
    const query = new URLSearchParams(issuing.authorize(started.headers.get("location") ?? ""))
    const finished = await browser.get(`/api/auth/callback/${id}?${query.toString()}`)
    const session = await browser.get("/api/auth/get-session")
    const read = await session.json<{ user: { id: string } } | null>()
    return { location: finished.headers.get("location"), user: read?.user.id, browser }
  }
  return {
    ...visit,
    mailbox,
    moved,
    renamed,
    enter,
    /** A member with a password, whose address is verified. */
    member: async () => {
      const person = await createPerson(bound)
      await env.DB.prepare("update user set email_verified = 1 where id = ?").bind(person.id).run()
      return person
    },
    /** Adds what the provider says to the account of a signed-in member, and returns where it ends. */
    add: async (person: Person, claims: Record<string, unknown>, finishing = person.browser) => {
      provider.forge({ claims })
      const started = await person.browser.post("/api/auth/link-social", { provider: "idp" })
      const { url } = await started.json<{ url: string }>()
      const query = new URLSearchParams(provider.authorize(url)).toString()
      if (finishing !== person.browser) {
        for (const [name, value] of person.browser.cookies) {
          if (name.endsWith("oauth_state")) finishing.cookies.set(name, value)
        }
      }
      const response = await finishing.open(`/api/auth/callback/idp?${query}`)
      return response.headers.get("location")
    },
    remove: async (person: Person) =>
      (await person.browser.post("/api/auth/unlink-account", { providerId: "idp" })).status,
    methods: async (person: Person) => {
      const listed = await person.browser.get("/api/auth/list-accounts")
      const rows = await listed.json<{ providerId: string; accountId: string }[]>()
      return rows.map(({ providerId, accountId }) =>
        providerId === "credential" ? providerId : accountId,
      )
    },
    forgetIssuers: () => env.DB.prepare("update account set issuer = null").run(),
    issuers: async () => {
      const { results } = await env.DB.prepare(
        "select distinct issuer from account where provider_id = 'idp'",
      ).all<{ issuer: string | null }>()
      return results.map(({ issuer }) => issuer)
    },
    [Symbol.dispose]: () => visit.network[Symbol.dispose](),
  }
}

test("A9: a changed issuer signs in to no account", async () => {
  using set = await setUp()
  const first = await set.enter({ sub: "42", email: "first@example.com" })
  expect(first).toMatchObject({ location: webUrl, user: expect.any(String) })
  for (const email of ["mallory@example.com", "first@example.com"]) {
    const outcome = await set.enter({ sub: "42", email }, set.moved)
    expect(outcome).toMatchObject({ location: notLinked, user: undefined })
  }
  // Nor by the address alone: the provider has named another subject for it before.
  const another = await set.enter({ sub: "43", email: "first@example.com" }, set.moved)
  expect(another).toMatchObject({ location: notLinked, user: undefined })
  expect(await set.enter({ sub: "42", email: "first@new.example" })).toMatchObject({
    user: first.user,
  })
})

test("A4: an identity that its owner removed stays out until the owner, signed in, adds it", async () => {
  using set = await setUp()
  const victim = await set.member()
  const claims = { sub: victim.id, email: victim.email }
  expect(await set.enter(claims)).toMatchObject({ user: victim.id })
  expect(await set.remove(victim)).toBe(200)
  for (const sub of [victim.id, `created again ${victim.id}`]) {
    const outcome = await set.enter({ ...claims, sub })
    expect(outcome).toMatchObject({ location: notLinked, user: undefined })
  }
  expect(await set.add(victim, claims)).toBe(webUrl)
  expect(await set.methods(victim)).toEqual(["credential", victim.id])
  expect(await set.enter(claims)).toMatchObject({ user: victim.id })
  const subjects = () => set.mailbox.emails.filter(({ to }) => to === victim.email)
  await set.mailbox.arrived(4)
  expect(subjects().map(({ subject }) => subject)).toEqual([
    "Verify your email address",
    "A sign-in method was added to your account",
    "A sign-in method was removed from your account",
    "A sign-in method was added to your account",
  ])
})

test("A46: a provider that has another id by now brings back neither a removed identity nor a new owner", async () => {
  using set = await setUp()
  const [victim, previousOwner] = [await set.member(), await set.member()]
  const claims = { sub: victim.id, email: victim.email }
  expect(await set.enter(claims)).toMatchObject({ user: victim.id })
  expect(await set.remove(victim)).toBe(200)
  expect(await set.enter(claims, set.renamed)).toMatchObject({ location: notLinked })
  // The address has a new owner at the provider since.
  await set.enter({ sub: previousOwner.id, email: previousOwner.email })
  const next = { sub: "the next", email: previousOwner.email }
  expect(await set.enter(next, set.renamed)).toMatchObject({ location: notLinked })
  // The provider names the same user as before.
  const repeated = { sub: previousOwner.id, email: previousOwner.email }
  expect(await set.enter(repeated, set.renamed)).toMatchObject({ user: previousOwner.id })
})

test("A47: a subject is another in any other spelling", async () => {
  using set = await setUp()
  const first = await set.enter({ sub: "Subject-\u00e9", email: "first@example.com" })
  const spellings = [
    "subject-\u00e9",
    "Subject-e\u0301",
    "Subject-\u00e9 ",
    "Subject-\u00e9\0",
    "0x1",
  ]
  for (const [index, sub] of spellings.entries()) {
    const outcome = await set.enter({ sub, email: `mallory-${index}@example.com` })
    expect([sub, outcome.user === first.user]).toEqual([sub, false])
    const byAddress = await set.enter({ sub: `${sub}x`, email: "FIRST@example.com" })
    expect(byAddress).toMatchObject({ location: notLinked, user: undefined })
  }
})

test("an address that has a new owner at the provider does not open the account of the former", async () => {
  using set = await setUp()
  const previousOwner = await set.enter({ sub: "the former", email: "desk@example.com" })
  const next = await set.enter({ sub: "the next", email: "desk@example.com" })
  expect(next).toMatchObject({ location: notLinked, user: undefined })
  // The former still comes in, whatever their address is now.
  const moved = await set.enter({ sub: "the former", email: "former@example.com" })
  expect(moved.user).toBe(previousOwner.user)
})

test("an identity without an issuer is its owner's at the address of the account, and binds the others", async () => {
  using set = await setUp()
  const ada = await set.enter({ sub: "1", email: "ada@old.example" })
  const grace = await set.enter({ sub: "2", email: "grace@old.example" })
  await set.forgetIssuers()
  // The issuer changes before any member has come.
  for (const sub of ["1", "2"]) {
    const mallory = await set.enter({ sub, email: "mallory@old.example" }, set.moved)
    expect(mallory).toMatchObject({ location: notLinked, user: undefined })
  }
  expect(await set.issuers()).toEqual([null])
  expect(await set.enter({ sub: "1", email: "Ada@old.example" })).toMatchObject({ user: ada.user })
  expect(await set.issuers()).toEqual([set.provider.issuer])
  // So a member whose address at the provider has changed is not kept out.
  const outcome = await set.enter({ sub: "2", email: "grace@new.example" })
  expect(outcome).toMatchObject({ location: webUrl, user: grace.user })
})

test("an identity without an issuer that its owner adds again is linked to this issuer, once", async () => {
  using set = await setUp()
  const owner = await set.member()
  const claims = { sub: `of ${owner.id}`, email: "elsewhere@example.com" }
  expect(await set.add(owner, claims)).toBe(webUrl)
  await set.forgetIssuers()
  expect(await set.enter(claims)).toMatchObject({ location: notLinked })
  expect(await set.add(owner, claims)).toBe(webUrl)
  expect(await set.methods(owner)).toEqual(["credential", claims.sub])
  expect(await set.issuers()).toEqual([set.provider.issuer])
  expect(await set.enter(claims)).toMatchObject({ user: owner.id })
})

test("what is added is the identity that comes back to the browser and session that asked", async () => {
  using set = await setUp()
  const [owner, mallory] = [await set.member(), await set.member()]
  const claims = { sub: `of ${mallory.id}`, email: "elsewhere@example.com" }
  const mismatch = `${webUrl}?error=state_mismatch`
  // Mallory begins, and lets the owner's browser finish.
  expect(await set.add(mallory, claims, owner.browser)).toBe(mismatch)
  expect(await set.methods(owner)).toEqual(["credential"])
  expect(await set.methods(mallory)).toEqual(["credential"])
  // An identity of another account is not added.
  expect(await set.add(owner, claims)).toBe(webUrl)
  expect(await set.add(mallory, claims)).toBe(notLinked)
  expect(await set.methods(mallory)).toEqual(["credential"])
  expect(await set.enter(claims)).toMatchObject({ user: owner.id })
})

test("an identity is added only by the own front end, after a step-up", async () => {
  using set = await setUp()
  const owner = await set.member()
  const start = (browser = owner.browser, body: object = { provider: "idp" }) =>
    browser.post("/api/auth/link-social", body)
  expect((await start(createBrowser(set.bound))).status).toBe(401)
  expect((await start(owner.browser, { provider: "none" })).status).toBe(404)
  const stranger = createBrowser(set.bound, "https://evil.example")
  for (const [name, value] of owner.browser.cookies) stranger.cookies.set(name, value)
  expect((await start(stranger)).status).toBe(403)
  const foreign = { provider: "idp", callbackURL: "https://evil.example/" }
  expect((await start(owner.browser, foreign)).status).toBe(400)
  await env.DB.prepare("update session set proven_at = null").run()
  expect((await start()).status).toBe(403)
})

test("an identity that comes twice at once with two addresses leaves no account without a sign-in method", async () => {
  using set = await setUp()
  const { database, interrupt } = createInterruptedDatabase()
  const raced: unknown[] = []
  const claims = { sub: "twice", email: "one@twice.example" }
  interrupt(/insert into "user"/, async () => raced.push((await set.enter(claims)).user))
  const late = { ...claims, email: "two@twice.example" }
  const { user } = await set.enter(late, { ...set.bound, DB: database })
  expect([user]).toEqual(raced)
  const { results } = await env.DB.prepare(
    "select email from user where email like '%@twice.example'",
  ).all()
  expect(results).toEqual([{ email: claims.email }])
})

test("a member is known by issuer and subject, whatever the provider says of the address since", async () => {
  using set = await setUp()
  const first = await set.enter({ sub: "known-1", email: "known@example.com" })
  expect(first).toMatchObject({ location: webUrl, user: expect.any(String) })
  const changes = [
    { email_verified: false },
    { email_verified: undefined },
    { email: undefined },
    { email: "no address" },
    { email: "elsewhere@example.com", email_verified: false },
  ]
  for (const change of changes) {
    const outcome = await set.enter({ sub: "known-1", email: "known@example.com", ...change })
    expect(outcome).toMatchObject({ location: webUrl, user: first.user })
  }
  // Joining and opening ask for a verified address, as before.
  for (const change of changes.slice(0, 4)) {
    const newcomer = await set.enter({ sub: "known-2", email: "known@example.com", ...change })
    expect(newcomer.user).toBeUndefined()
    expect(newcomer.location).toMatch(/error=email_not_(verified|found)$/)
  }
  // So does an identity that has no issuer yet.
  await set.forgetIssuers()
  const unbound = await set.enter({
    sub: "known-1",
    email: "known@example.com",
    email_verified: false,
  })
  expect(unbound).toMatchObject({ location: notLinked, user: undefined })
  expect(await set.enter({ sub: "known-1", email: "known@example.com" })).toMatchObject({
    user: first.user,
  })
})

test("each refusal is in the log with its code, and never with the address", async () => {
  using set = await setUp()
  const logged = vi.spyOn(console, "warn").mockImplementation(() => {})
  const email = "refused@elsewhere.example"
  await set.enter({ sub: "refused-1", email, email_verified: false })
  await set.enter({ sub: "refused-1", email: undefined })
  await set.enter({ sub: "refused-1", email, nonce: "replayed" })
  const lines = logged.mock.calls.map(([line]) => String(line))
  logged.mockRestore()
  const refusals = lines.filter((line) => line.includes("provider.refused"))
  expect(refusals.map((line) => JSON.parse(line))).toMatchObject([
    { level: "warn", provider: "idp", code: "email_not_verified" },
    { level: "warn", provider: "idp", code: "email_not_found" },
    {
      level: "warn",
      provider: "idp",
      code: "invalid_code",
      reason: expect.stringContaining("nonce"),
    },
  ])
  expect(lines.join("")).not.toContain("elsewhere.example")
})
