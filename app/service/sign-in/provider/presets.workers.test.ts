import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind, createBrowser, webUrl } from "../../../testing/browser.ts"
import { createPerson } from "../../../testing/person.ts"
import {
  apple,
  authentik,
  cognito,
  common,
  failed,
  gitlab,
  google,
  keycloak,
  single,
  slack,
  visit,
} from "../../../testing/preset-visit.ts"
import { clientId, tenant } from "../../../testing/provider-shapes.ts"

test("Google signs in, whichever of its two names its tokens have", async () => {
  for (const iss of ["https://accounts.google.com", "accounts.google.com"]) {
    using set = visit(google, google.declared)
    expect(await set.signIn({ iss })).toMatchObject({
      location: webUrl,
      user: { email: "grace@example.com", emailVerified: true, name: "Grace" },
    })
  }
  using set = visit(google, google.declared)
  expect(await set.signIn({ iss: "http://accounts.google.com" })).toEqual(failed("invalid_code"))
})

test("A15: Google opens no account of an address of which it is not the authority", async () => {
  using set = visit(google, google.declared)
  const person = await createPerson()
  await env.DB.prepare("update user set email_verified = 1 where id = ?").bind(person.id).run()
  const claims = { sub: person.id, email: person.email }
  for (const hd of [undefined, "another.example"]) {
    expect(await set.signIn({ ...claims, hd })).toEqual(failed("account_not_linked"))
  }
  // An account of its own opens with any address that Google has verified.
  const ownClaims = { sub: "own", email: "own@elsewhere.example", hd: undefined }
  expect(await set.signIn(ownClaims)).toMatchObject({
    location: webUrl,
    user: { email: ownClaims.email },
  })
  expect(await set.signIn(ownClaims)).toMatchObject({
    location: webUrl,
    user: { email: ownClaims.email },
  })
  expect(await set.signIn({ ...claims, hd: "Example.com" })).toMatchObject({
    user: { id: person.id },
  })
})

test("A15: an invitation waits for a user who shows that its address is theirs", async () => {
  using set = visit(google, google.declared, { SIGN_UP: "invited" })
  const { id: admin } = await createPerson(bind(), "admin")
  const email = `guest-${crypto.randomUUID()}@elsewhere.example`
  const insert = "insert into invitation (id, email, hash, invited_by, created_at, expires_at)"
  const until = Date.now() + 60_000
  await env.DB.prepare(`${insert} values (?, ?, ?, ?, ?, ?)`)
    .bind(email, email, email, admin, Date.now(), until)
    .run()
  const countInvitations = () =>
    env.DB.prepare("select count(*) as left from invitation where email = ?")
      .bind(email)
      .first("left")
  const guest = { sub: email, email, hd: undefined }
  expect(await set.signIn(guest)).toEqual(failed("invitation_required"))
  expect(await countInvitations()).toBe(1)
  expect(await set.signIn({ ...guest, hd: "elsewhere.example" })).toMatchObject({
    location: webUrl,
    user: { email, emailVerified: true },
  })
  expect(await countInvitations()).toBe(0)
})

test("Google is believed about the configured domains alone", async () => {
  using set = visit(google, { ...google.declared, emailDomains: ["example.com"] })
  expect(await set.signIn({ sub: "1", email: "eve@gmail.com" })).toEqual(
    failed("email_not_trusted"),
  )
  expect(await set.signIn({ sub: "2", email: "eve@sub.example.com" })).toEqual(
    failed("email_not_trusted"),
  )
  expect(await set.signIn({ sub: "3", email: "Eve@EXAMPLE.com" })).toMatchObject({
    location: webUrl,
    user: { email: "eve@example.com" },
  })
})

test("Apple returns by a form from its own site, with a name the first time, and takes a signed secret", async () => {
  using set = visit(apple, apple.declared)
  const location = await set.start()
  expect(Object.fromEntries(location.searchParams)).toMatchObject({
    response_mode: "form_post",
    scope: "openid email name",
  })
  apple.provider.forge({})
  const { code, state } = apple.provider.authorize(location.href)
  const user = JSON.stringify({ name: { firstName: "Grace", lastName: "Hopper" }, email: "x@y.z" })
  // Cross-site, so without cookies, and with Apple's origin.
  const posted = await createBrowser(bind(), "https://appleid.apple.com").send(
    "POST",
    `/api/auth/callback/${set.id}`,
    {
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ code, state, user, evil: "x" }).toString(),
    },
  )
  expect(posted.status).toBe(303)
  expect(posted.headers.getSetCookie()).toEqual([])
  const next = posted.headers.get("location") ?? ""
  expect(next).toMatch(/^\/api\/auth\/callback\/at-appleid-apple-com\?/)
  expect(next).not.toContain("evil")
  expect(next).not.toContain("x%40y.z")
  expect((await set.browser.get(next)).headers.get("location")).toBe(webUrl)
  expect(await (await set.browser.get("/api/auth/get-session")).json()).toMatchObject({
    user: { email: "4xq2@privaterelay.appleid.com", name: "Grace Hopper", emailVerified: true },
  })
  const token = set.network.requests.find(({ url }) => url.endsWith("/auth/token"))
  expect(token?.headers.get("authorization")).toBeNull()

  // Later sign-ins have no name.
  expect(await set.signIn()).toMatchObject({ location: webUrl, user: { name: "Grace Hopper" } })
  expect(await set.signIn({ sub: "apple.2", email_verified: "false" })).toMatchObject({
    location: failed("email_not_verified").location,
  })
})

test("a form that is too large is refused, and one of another provider finishes nothing", async () => {
  const send = (body: string) =>
    createBrowser(bind(), "https://evil.example").send("POST", "/api/auth/callback/idp", {
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body,
    })
  expect((await send(`code=${"x".repeat(200_000)}`)).status).toBe(413)
  const posted = await send("code=code-1&state=abcdefgh")
  const browser = createBrowser(bind(), null)
  const finished = await browser.get(posted.headers.get("location") ?? "")
  expect(finished.headers.get("location")).toBe(`${webUrl}?error=provider_not_found`)
  expect(finished.headers.getSetCookie().filter((line) => line.includes("session"))).toEqual([])
})

test("Microsoft with many tenants is believed only about addresses whose domain's owner verified them", async () => {
  using set = visit(common, { preset: "microsoft", tenant: "common" })
  expect(await set.signIn()).toEqual(failed("email_not_verified"))
  expect(await set.signIn({ email_verified: true })).toEqual(failed("email_not_verified"))
  expect(await set.signIn({ xms_edov: false })).toEqual(failed("email_not_verified"))
  for (const xms_edov of [true, "1", 1]) {
    expect(await set.signIn({ xms_edov })).toMatchObject({ location: webUrl })
  }
})

test("A10: Microsoft's word about the domain is not about an address from elsewhere", async () => {
  using set = visit(common, { preset: "microsoft", tenant: "common" })
  const userinfo = { sub: "microsoft-2", email: "victim@example.com" }
  for (const email of [undefined, "no address"]) {
    expect(await set.signIn({ sub: "microsoft-2", xms_edov: true, email }, userinfo)).toEqual(
      failed("email_not_verified"),
    )
  }
})

test("Microsoft with many tenants does not believe a tenant about a configured domain", async () => {
  const declared = { preset: "microsoft", tenant: "common", emailDomains: ["example.com"] }
  using set = visit(common, declared)
  const stranger = { sub: "microsoft-3" }
  expect(await set.signIn(stranger)).toEqual(failed("email_not_verified"))
  const elsewhere = { ...stranger, xms_edov: true, email: "eve@other.example" }
  expect(await set.signIn(elsewhere)).toEqual(failed("email_not_trusted"))
})

test("Microsoft's tokens are of the tenant that they name, and of an allowed one", async () => {
  const foreign = "aaaaaaaa-2222-3333-4444-555555555555"
  const base = "https://login.microsoftonline.com"
  const declared = { preset: "microsoft", tenant: "common", tenants: [tenant] }
  using set = visit(common, declared)
  for (const claims of [
    { tid: foreign },
    { tid: foreign, iss: `${base}/${foreign}/v2.0` },
    { tid: undefined },
    { iss: `${base}/{tenantid}/v2.0`, tid: "{tenantid}" },
  ]) {
    expect(await set.signIn({ xms_edov: true, ...claims })).toEqual(failed("invalid_code"))
  }
  expect(await set.signIn({ xms_edov: true })).toMatchObject({ location: webUrl })
})

test("Microsoft with one tenant is believed about the domains that are configured as its own", async () => {
  using set = visit(single, { preset: "microsoft", tenant, emailDomains: ["example.com"] })
  const stranger = { sub: "microsoft-4" }
  const elsewhere = { ...stranger, email: "eve@other.example" }
  expect(await set.signIn(elsewhere)).toEqual(failed("email_not_verified"))
  const userinfo = { ...stranger, name: "Grace" }
  expect(await set.signIn({ ...stranger, email: undefined }, userinfo)).toEqual(
    failed("email_not_found"),
  )
  expect(await set.signIn()).toMatchObject({ location: webUrl, user: { name: "Grace" } })
  using open = visit(single, { preset: "microsoft", tenant })
  expect(await open.signIn(stranger)).toEqual(failed("email_not_verified"))
})

test("Cognito signs in although its userinfo endpoint sends email_verified as a string", async () => {
  using set = visit(cognito, { ...cognito.declared, emailDomains: ["example.com"] })
  expect(await set.signIn({}, { ...cognito.userinfo, email_verified: "false" })).toEqual(
    failed("email_not_verified"),
  )
  expect(await set.signIn({}, cognito.userinfo)).toMatchObject({ location: webUrl })
})

test("a userinfo endpoint does not verify the address of the id_token with that of another", async () => {
  using set = visit(cognito, { ...cognito.declared, emailDomains: ["example.com"] })
  const stranger = { sub: "cognito-2", email: "victim@example.com" }
  const userinfo = { ...cognito.userinfo, sub: stranger.sub }
  expect(await set.signIn(stranger, userinfo)).toEqual(failed("email_not_verified"))
})

test("Keycloak signs in to a realm, and is believed about the domains of its host alone", async () => {
  using set = visit(keycloak, keycloak.declared)
  expect(await set.signIn({ email: "grace@keycloak.example" })).toEqual(failed("email_not_trusted"))
  expect(await set.signIn({ email_verified: false })).toEqual(failed("email_not_verified"))
  for (const email of ["grace@example.com", "ada@id.example.com"]) {
    expect(await set.signIn({ sub: email, email })).toMatchObject({ location: webUrl })
  }
})

test("Slack signs in by a nonce alone, and opens no account of an address that it verified once", async () => {
  using set = visit(slack, slack.declared)
  const location = await set.start()
  expect(location.searchParams.get("nonce")).toMatch(/^[\w-]{43}$/)
  expect(await set.signIn()).toMatchObject({
    location: webUrl,
    user: { email: "alice@example.com", name: "Alice" },
  })
  expect(await set.signIn({ nonce: "of another browser" })).toEqual(failed("invalid_code"))
  const person = await createPerson()
  await env.DB.prepare("update user set email_verified = 1 where id = ?").bind(person.id).run()
  const claims = { sub: person.id, email: person.email }
  expect(await set.signIn(claims)).toEqual(failed("account_not_linked"))
})

test("GitLab signs in by what its userinfo endpoint adds, and is believed about its host alone", async () => {
  using set = visit(gitlab, gitlab.declared)
  const elsewhere = { ...gitlab.userinfo, sub: "1", email: "alex@example.com" }
  expect(await set.signIn({ sub: "1" }, elsewhere)).toEqual(failed("email_not_trusted"))
  const unverified = { ...gitlab.userinfo, sub: "2", email_verified: false }
  expect(await set.signIn({ sub: "2" }, unverified)).toEqual(failed("email_not_verified"))
  expect(await set.signIn({}, gitlab.userinfo)).toMatchObject({
    location: webUrl,
    user: { email: "alexgarcia@gitlab.com", name: "Alex Garcia" },
  })
})

test("authentik, which verifies no address by itself, signs in where the stack file trusts its domain", async () => {
  using strict = visit(authentik, { ...authentik.declared, trustUnverifiedEmails: undefined })
  expect(await strict.signIn()).toEqual(failed("email_not_verified"))
  using set = visit(authentik, authentik.declared)
  expect(await set.signIn({ sub: "1", email: "eve@other.example" })).toEqual(
    failed("email_not_verified"),
  )
  expect(await set.signIn()).toMatchObject({
    location: webUrl,
    user: { email: "akadmin@example.com", name: "authentik Default Admin" },
  })
})

test.each([
  ["an unknown preset", { preset: "myspace" }],
  ["an unknown key", { preset: "google", issuer: "https://accounts.google.com" }],
  ["no issuer", {}],
  ["a plain issuer", { issuer: "http://id.example.com" }],
  ["a name for this machine", { issuer: "http://localhost:9000" }],
  ["an issuer with a password", { issuer: "http://a:b@127.0.0.1:9000" }],
  ["scopes without openid", { issuer: "https://id.example.com", scopes: ["email"] }],
  ["a domain that is none", { preset: "google", emailDomains: ["@example.com"] }],
  ["no domain", { preset: "google", emailDomains: [] }],
  [
    "Cognito without domains",
    { preset: "cognito", region: "eu-central-1", userPoolId: "eu-central-1_A" },
  ],
  ["a tenant that is none", { preset: "microsoft", tenant: "example.com" }],
  ["Apple without a private key", apple.declared],
])("a provider's configuration is refused: %s", async (_name, declared) => {
  const bound = bind({
    IDENTITY_PROVIDERS: JSON.stringify({ idp: declared }),
    IDP_CLIENT_ID: clientId,
    IDP_CLIENT_SECRET: "secret",
  })
  const response = await createBrowser(bound).get("/api/auth/get-session")
  expect([response.status, await response.json()]).toMatchObject([
    503,
    { code: "SERVICE_MISCONFIGURED" },
  ])
})
