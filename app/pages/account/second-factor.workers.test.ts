import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { servicesOf } from "../../services.ts"
import { createApp } from "../../testing/authenticator-app.ts"
import { bind } from "../../testing/browser.ts"
import { later } from "../../testing/factor-person.ts"
import { createReader } from "../../testing/page-reader.ts"
import { createProvenPerson } from "../../testing/passkey-person.ts"
import { createPerson, password } from "../../testing/person.ts"
import { settingsOf } from "../settings.ts"

const path = "/account/second-factor"
const bound = bind({ PAGES: "true", LIMIT_EMAIL: undefined, LIMIT_ADDRESS: undefined })

const services = servicesOf(bound)
if (services === null) throw new Error("the environment is refused")
const settings = settingsOf(services)

async function createMember() {
  const { id, email } = await createProvenPerson(bound)
  const reader = createReader(bound)
  const signIn = async (visitor = reader) =>
    visitor.submit(await visitor.open("/sign-in"), "sign-in", { email, password })
  expect((await signIn()).at).toBe("/account")
  return { id, email, reader, signIn }
}

/** The key of the page, as an app reads it. */
function keyOf(html: string) {
  const uri = /name="uri" value="([^"]+)"/.exec(html)?.[1] ?? ""
  return createApp(uri.replaceAll("&amp;", "&"))
}

function codesOf(html: string) {
  return /<pre>([^<]+)<\/pre>/.exec(html)?.[1]?.split("\n") ?? []
}

async function turnOn({ id, reader }: Awaited<ReturnType<typeof createMember>>) {
  const setup = await reader.open(`${path}?app=yes`)
  const app = keyOf(setup.html)
  const confirmed = await reader.submit(setup, "confirm", { code: app.code() })
  await later(id)
  return { app, begun: setup, shown: confirmed, codes: codesOf(confirmed.html) }
}

test("a member sets an app up, signs in with it, with a recovery code and in a browser that is trusted", async () => {
  const member = await createMember()
  const { id, reader, signIn } = member
  expect((await reader.open(path)).text).toContain("a sign-in also asks for a code")
  const setup = await reader.open(`${path}?app=yes`)
  expect(setup.html).toMatch(/<div class="qr" role="img" aria-label="QR code[^"]*"><svg /)
  const wrong = await reader.submit(setup, "confirm", { code: "000 000" })
  expect(wrong.html).toMatch(/id="confirm-code"[^>]*aria-invalid="true"/)
  const app = keyOf(wrong.html)
  const code = app.code()
  const confirmed = await reader.submit(wrong, "confirm", {
    code: `${code.slice(0, 3)} ${code.slice(3)}`,
  })
  const codes = codesOf(confirmed.html)
  expect(codes).toHaveLength(10)
  const page = await reader.open(path)
  expect(page.text).toContain("Recovery codes left: 10.")
  expect(page.html).not.toContain(codes[0])

  await later(id)
  const thief = createReader(bound)
  const halfway = await signIn(thief)
  expect(halfway.at).toBe("/sign-in/second-factor?ways=totp+recovery")
  expect((await thief.open("/account")).at).toMatch(/^\/sign-in\?/)
  const refused = await thief.submit(halfway, "code", { code: "123456" })
  expect(refused.text).toContain("This is not the code, or it is too old or used already.")
  const inside = await thief.submit(refused, "code", { code: app.code(), trust: "yes" })
  expect(inside.at).toBe("/account")
  expect((await thief.open(path)).html).toContain('value="forget"')

  // Trusted from now on, until it is taken back.
  await thief.submit(await thief.open("/sign-out"), "sign-out")
  expect((await signIn(thief)).at).toBe("/account")
  const stepUp = await thief.submit(await thief.open(path), "forget")
  expect(stepUp).toMatchObject({ status: 200 })

  const elsewhere = createReader(bound)
  const lost = await signIn(elsewhere)
  const mistyped = await elsewhere.submit(lost, "recovery", { recoveryCode: "no such code" })
  expect(mistyped.html).toMatch(
    /<details open[^]*id="recovery-recoveryCode"[^>]*aria-invalid="true"/,
  )
  const recovered = await elsewhere.submit(mistyped, "recovery", { recoveryCode: ` ${codes[0]} ` })
  expect(recovered.at).toBe("/account")
  expect((await elsewhere.open(path)).text).toContain("Recovery codes left: 9.")
})

test("new codes take the place of those before, and the factor is turned off, after a step-up", async () => {
  const member = await createMember()
  const { id, reader } = member
  const { app, codes } = await turnOn(member)
  await env.DB.prepare("update session set proven_at = 0 where user_id = ?").bind(id).run()
  const stepUp = await reader.submit(await reader.open(path), "renew")
  expect(stepUp.at).toMatch(/^\/account\/step-up\?.*ways=totp\+recovery/)
  const proven = await reader.submit(stepUp, "code", { code: app.code() })
  expect(proven.at).toContain(path)
  const renewed = await reader.confirm(proven, "renew")
  expect(codesOf(renewed.html)).toHaveLength(10)
  expect(codesOf(renewed.html)).not.toContain(codes[0])
  const off = await reader.confirm(await reader.open(path), "off")
  expect(off.text).toContain("a sign-in also asks for a code")
})

test("a link to the second step without a sign-in shows an error, also in German", async () => {
  const reader = createReader(bound)
  const page = await reader.open("/sign-in/second-factor?language=de")
  expect(page.text).toContain("Gib den Code ein, den deine App zeigt.")
  const refused = await reader.submit(page, "code", { code: "123456" })
  expect(refused.text).toContain("Melde dich neu an.")
  const { signMessage } = settings
  const message = encodeURIComponent(signMessage("error=second_factor_required"))
  reader.browser.cookies.set("accounts-local-host.page_message", message)
  const provider = await reader.open("/sign-in")
  expect(provider.at).toBe("/sign-in/second-factor?ways=totp+recovery")
})

test("the page says first that the address is not verified, or that factors are not offered", async () => {
  const { id, reader } = await createMember()
  await env.DB.prepare("update user set email_verified = 0 where id = ?").bind(id).run()
  const unverified = await reader.open(`${path}?app=yes`)
  expect(unverified.text).toContain("Verify the address of your account first.")
  const off = createReader({ ...bound, SECOND_FACTOR: "off" })
  const { email } = await createPerson({ ...bound, SECOND_FACTOR: "off" })
  await off.submit(await off.open("/sign-in"), "sign-in", { email, password })
  expect((await off.open(path)).text).toContain("A second factor is not offered here.")
})

test("where the account must have a factor, a page leads to the one that turns it on, or asks for it", async () => {
  const required = { ...bound, REQUIRE_SECOND_FACTOR: "everybody" as const }
  const { id, email } = await createProvenPerson(required)
  const signIn = async () => {
    const reader = createReader(required)
    await reader.submit(await reader.open("/sign-in"), "sign-in", { email, password })
    return reader
  }
  const reader = await signIn()
  const sign = await signIn()
  for (const page of ["/account", "/account/devices", "/account/security"]) {
    const led = await reader.open(page)
    expect([page, led.at]).toEqual([page, expect.stringMatching(/^\/account\/second-factor/)])
    expect(led.text).toContain("this site asks your account for one")
  }
  const { codes } = await turnOn({ id, email, reader, signIn: async () => reader.open("/account") })
  expect(codes).toHaveLength(10)
  expect((await reader.open("/account")).at).toBe("/account")

  // Turning it on has ended the other session.
  expect((await sign.open("/account")).at).toMatch(/^\/sign-in/)
  const halfway = await sign.submit(await sign.open("/sign-in"), "sign-in", { email, password })
  expect(halfway.at).toMatch(/^\/sign-in\/second-factor/)
})
