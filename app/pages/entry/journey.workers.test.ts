import { expect, test } from "vitest"

import { bindProduction } from "../../testing/browser.ts"
import { openMailbox } from "../../testing/mailbox.ts"
import { createReader } from "../../testing/page-reader.ts"
import { password } from "../../testing/person.ts"

const verify = "Verify your email address"
const reset = "Reset your password"
const home = "https://app.example.com/inside?tab=1"
const search = `?return=${encodeURIComponent(home)}`

function setUp() {
  const mailbox = openMailbox()
  const bound = bindProduction({ PAGES: "true", LIMIT_EMAIL: undefined })
  const email = `page-${crypto.randomUUID()}@example.com`
  return { mailbox, bound, email, reader: createReader(bound) }
}

/** Signs up, and waits for the link of the email. */
async function signUp({ reader, email, mailbox }: ReturnType<typeof setUp>) {
  const form = await reader.open(`/sign-up${search}`)
  const sentPage = await reader.submit(form, "sign-up", { name: "Ada", email, password })
  return { sent: sentPage, link: await mailbox.linkOf(email, verify) }
}

test("a new member signs up, verifies by email, signs in and returns to the front end", async () => {
  const visit = setUp()
  const { sent, link } = await signUp(visit)
  expect(sent).toMatchObject({ at: expect.stringMatching(/^\/sign-up\/sent/), status: 200 })

  const { reader, email } = visit
  const early = await reader.open(`/sign-in${search}`)
  const refused = await reader.submit(early, "sign-in", { email, password })
  expect(refused.status).toBe(400)
  expect(refused.text).toContain("you have not opened the link in our email yet")
  expect(refused.html).toContain(`value="${email}"`)
  expect(refused.html).not.toContain(password)

  const verified = await reader.open(link)
  expect(verified).toMatchObject({ at: "/verify", status: 200 })
  // The email names no page, so this browser has kept it.
  expect(decodeURIComponent(link)).not.toContain("inside")
  const [, onward = ""] = /href="(\/sign-in[^"]*)"/.exec(verified.html) ?? []
  const signedIn = await reader.submit(await reader.open(onward), "sign-in", { email, password })
  expect(signedIn.at).toBe(home)
  expect((await reader.open("/account")).text).toContain("Signed in as Ada")
})

test("in another browser the email's link asks for the password, or for a new one, and its token is stored nowhere", async () => {
  const visit = setUp()
  const { link } = await signUp(visit)
  const reader = createReader(visit.bound)
  const prove = await reader.open(link)
  expect(prove.at).toMatch(/^\/verify\/prove/)
  const wrong = await reader.submit(prove, "prove", { password: "not the password" })
  expect(wrong.text).toContain("This is not your password")
  const short = await reader.submit(prove, "claim", { newPassword: "short" })
  expect(short.html).toMatch(/id="claim-newPassword"[^>]*aria-invalid="true"/)
  const proven = await reader.submit(prove, "claim", { newPassword: "another good password" })
  expect(proven.text).toContain("You can sign in now")
  const credentials = { email: visit.email, password: "another good password" }
  expect((await reader.submit(proven, "sign-in", credentials)).at).toBe("/account")

  const refused = await reader.submit(prove, "prove", { password })
  expect(refused.at).toMatch(/^\/verify\/again/)
  const [token = ""] = reader.history.flatMap((at) => /[?&]token=([^&]+)/.exec(at)?.[1] ?? [])
  // The link in the email, and the redirect that reads its token.
  expect(reader.history.filter((at) => at.includes(token))).toHaveLength(2)
})

test("a forgotten password is replaced by an emailed link, once", async () => {
  const visit = setUp()
  const { reader, email, mailbox } = visit
  await reader.open((await signUp(visit)).link)
  const sentPage = await reader.submit(await reader.open(`/forgotten${search}`), "send", { email })
  expect(sentPage.text).toContain("an email is on its way")
  const form = await reader.open(await mailbox.linkOf(email, reset))
  expect(form.at).toMatch(/^\/reset-password\?return=/)
  expect(form.html).not.toMatch(/token/)
  const saved = await reader.submit(form, "reset", { newPassword: "a newer password" })
  expect(saved.text).toContain("Your password has been changed")
  const signedIn = await reader.submit(saved, "sign-in", { email, password: "a newer password" })
  expect(signedIn.at).toBe(home)
  const spent = await reader.submit(form, "reset", { newPassword: "the newest password" })
  expect(spent.text).toContain("A link works once")
})

test("the page rejects wrong passwords, and after ten of them says when to try again", async () => {
  const visit = setUp()
  const { email, bound } = visit
  await visit.reader.open((await signUp(visit)).link)
  const stranger = createReader(bound)
  const form = await stranger.open("/sign-in")
  for (let tries = 0; tries < 10; tries += 1) {
    const wrong = await stranger.submit(form, "sign-in", { email, password: "wrong" })
    expect(wrong).toMatchObject({ status: 400, text: expect.stringContaining("Wrong address") })
  }
  const locked = await stranger.submit(form, "sign-in", { email, password })
  expect(locked.status).toBe(429)
  expect(locked.text).toMatch(/Too many attempts. Try again in \d+ (?:seconds|minutes)/)
})

test("a browser that keeps no cookies is told so, and not that its password was wrong", async () => {
  const visit = setUp()
  const { reader, email } = visit
  await reader.open((await signUp(visit)).link)
  const response = await reader.post("/sign-in", { act: "sign-in", email, password })
  expect(response.headers.get("location")).toBe("/sign-in/back")
  const page = await createReader(visit.bound).open("/sign-in/back")
  expect(page.text).toContain("Your browser has refused the cookie")
})

test("a provider is a link that leads back to the pages, which say why it failed", async () => {
  const visit = setUp()
  const bound = {
    ...visit.bound,
    IDENTITY_PROVIDERS: JSON.stringify({ idp: { issuer: "https://idp.example" } }),
    IDP_CLIENT_ID: "client",
    IDP_CLIENT_SECRET: "secret at the provider",
  }
  const reader = createReader(bound)
  const { html } = await reader.open(`/sign-in${search}`)
  const [, href = ""] = /href="([^"]*\/api\/auth\/sign-in\/idp[^"]*)"/.exec(html) ?? []
  const { searchParams } = new URL(href.replaceAll("&amp;", "&"))
  const back = `https://api.example.com/sign-in/back${search}`
  expect(searchParams.get("callbackURL")).toBe(back)
  // The provider does not answer.
  const failed = await reader.open(href.replaceAll("&amp;", "&"))
  expect(failed.at).toMatch(/^\/sign-in\?return=[^&]*$/)
  expect(failed.text).toContain("The provider cannot be reached")
  expect((await reader.open("/sign-in")).text).not.toContain("The provider cannot be reached")
})

test("a button has the name of its preset's brand, unless two providers have the preset", async () => {
  const gitlab = { preset: "gitlab" }
  const declared = {
    hub: { preset: "github" },
    github: { issuer: "https://id.example" },
    gitlab,
    work: { ...gitlab, url: "https://gitlab.example" },
  }
  const ids = Object.fromEntries(
    Object.keys(declared).map((id) => [`IDP_${id.toUpperCase()}_CLIENT_ID`, "client"]),
  )
  const bound = { ...setUp().bound, IDENTITY_PROVIDERS: JSON.stringify(declared), ...ids }
  const { html } = await createReader(bound).open("/sign-in")
  const names = [...html.matchAll(/Continue with (\w+)/g)].map(([, name]) => name)
  expect(names).toEqual(["GitHub", "Github", "GitLab", "Work"])
})

test("the button of a preset has its icon, which has no text, except Cognito and presets without a brand", async () => {
  const brands = ["discord", "facebook", "github", "gitlab", "google", "linkedin", "slack", "x"]
  const tenant = "6babcaad-604b-40ac-a9d7-9fd97c0b779f"
  const url = "https://id.example"
  const withIcons = {
    ...Object.fromEntries(brands.map((preset) => [preset, { preset }])),
    apple: { preset: "apple", teamId: "ABCDE12345", keyId: "FGHIJ67890" },
    keycloak: { preset: "keycloak", url, realm: "members" },
    microsoft: { preset: "microsoft", tenant },
  }
  const declared = {
    ...withIcons,
    cognito: {
      preset: "cognito",
      region: "eu-central-1",
      userPoolId: "eu-central-1_Ab1",
      emailDomains: ["example.com"],
    },
    entra: { preset: "entra-external", domain: "members", tenant },
    // Its name says nothing of what it is.
    openid: { issuer: url },
  }
  const ids = Object.fromEntries(
    Object.keys(declared).map((id) => [`IDP_${id.toUpperCase()}_CLIENT_ID`, "client"]),
  )
  const appleKey = { IDP_APPLE_CLIENT_SECRET: "-----BEGIN PRIVATE KEY-----" }
  const reader = createReader({
    ...setUp().bound,
    IDENTITY_PROVIDERS: JSON.stringify(declared),
    ...ids,
    ...appleKey,
  })
  const { html } = await reader.open("/sign-in")
  const buttons = [...html.matchAll(/<a class="button" href="[^"]*\/sign-in\/(\w+)\?.*?<\/a>/gs)]
  const drawn = buttons.filter(([button]) => /<svg [^>]*aria-hidden="true"/.test(button))
  const idsOf = (matches: RegExpExecArray[]) => new Set(matches.map(([, id]) => id))
  expect(idsOf(buttons)).toEqual(new Set(Object.keys(declared)))
  expect(idsOf(drawn)).toEqual(new Set(Object.keys(withIcons)))
  const drawings = drawn.map(([button]) => / d="([^"]+)"/.exec(button)?.[1])
  expect(new Set(drawings).size).toBe(drawn.length)
  // No second name for who hears the page.
  expect(html).not.toMatch(/<title>(?:Discord|GitHub|Google)/)
  expect(html.length).toBeLessThan(15_000)
})
