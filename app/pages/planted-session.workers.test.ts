import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { servicesOf } from "../services.ts"
import { bindProduction } from "../testing/browser.ts"
import { openPageAccount } from "../testing/page-owner.ts"
import { createReader } from "../testing/page-reader.ts"
import { password } from "../testing/person.ts"
import { settingsOf } from "./settings.ts"

/* A sibling below the cookie domain has planted its own session in the reader's browser, for some paths alone. */

const url = "https://api.example.com"
const bound = bindProduction({
  PAGES: "true",
  PASSKEYS: "example.com",
  AUTH_TRUSTED_ORIGIN: url,
  VERIFY_EMAIL: "false",
  LIMIT_EMAIL: undefined,
  LIMIT_ADDRESS: undefined,
})

const services = servicesOf(bound)
if (services === null) throw new Error("the environment is refused")
const settings = settingsOf(services)

function join(name = "Ada") {
  return openPageAccount(bound, { name, change: "email_verified = 1" })
}

const sessionCookie = "__Secure-accounts-production.session_token"

async function plant() {
  const [victim, mallory] = [await join(), await join("Mallory")]
  const ownSession = victim.reader.browser.cookies.get(sessionCookie) ?? ""
  const planted = mallory.reader.browser.cookies.get(sessionCookie) ?? ""
  const put = (value: string) => victim.reader.browser.cookies.set(sessionCookie, value)
  put(planted)
  return { ...victim, mallory, takeOut: () => put(ownSession) }
}

/** Forms by their pages, and what they hold beside whom the page shows. */
const forms: [string, Record<string, string>][] = [
  ["/account", { act: "save", name: "Reader", language: "browser" }],
  ["/account/ways", { act: "add", provider: "idp" }],
  ["/account/passkeys", { act: "add", name: "Key", id: "x" }],
  ["/account/password", { act: "set", newPassword: "another password" }],
  ["/account/address", { act: "ask", newEmail: "reader@example.com" }],
  ["/account/second-factor", { act: "confirm", enrolment: "x", uri: "x", code: "000000" }],
  ["/account/devices", { act: "others" }],
]

test("no form of the pages gives anything of the reader to the account whose session was planted", async () => {
  const { reader, mallory, takeOut } = await plant()
  const id = (await mallory.select("id")) ?? ""
  for (const [path, fields] of forms) {
    const response = await reader.post(path, { ...fields, "accounts-user": id })
    const { pathname, searchParams } = new URL(response.headers.get("location") ?? "", url)
    expect([path, response.status, pathname]).toEqual([path, 303, "/account/step-up"])
    expect(searchParams.get("return")).toBe(`${url}${path}`)
    expect(searchParams.get("ways")).toBe("password sign-in")
  }
  expect(await mallory.select("name")).toBe("Mallory")
  // The reader's password proves nothing there.
  await env.DB.prepare("update account set password = 'other' where user_id = ?").bind(id).run()
  const page = await reader.open("/account/step-up?ways=password")
  const refused = await reader.submit(page, "password", { password })
  expect(refused.status).toBe(400)
  // Elsewhere the reader goes on as before.
  takeOut()
  const saved = await reader.submit(await reader.open("/account"), "save", { name: "Ona" })
  expect(saved.at).toBe("/account")
})

test("a session of a version before is asked once, in its own browser, and then sends its forms", async () => {
  const { reader, select } = await join()
  reader.browser.cookies.delete("__Host-accounts-production.session_binding")
  const stepUp = await reader.submit(await reader.open("/account"), "save", { name: "Ona" })
  expect([stepUp.at.split("?")[0], await select("name")]).toEqual(["/account/step-up", "Ada"])
  const back = await reader.submit(stepUp, "password", { password })
  expect(back.at).toBe("/account")
  expect((await reader.submit(back, "save", { name: "Ona" })).at).toBe("/account")
  expect(await select("name")).toBe("Ona")
})

test("a page repeats no message that the service has not signed", async () => {
  const reader = createReader(bound)
  const name = "__Host-accounts-production.page_message"
  const text = "done=gone&error=account_suspended&reason=abuse"
  const unsigned = await reader.open("/sign-in")
  const forged = `${text}.${Buffer.alloc(32).toString("base64")}`
  for (const value of [text, forged]) {
    reader.browser.cookies.set(name, encodeURIComponent(value))
    const page = await reader.open("/sign-in")
    expect([page.status, page.text]).toEqual([200, unsigned.text])
  }
  reader.browser.cookies.set(name, encodeURIComponent(settings.signMessage(text)))
  expect((await reader.open("/sign-in")).text).toContain("suspended")
  // The page that repeats it takes it away.
  expect((await reader.open("/sign-in")).text).toBe(unsigned.text)
})

test("a member can end a planted session", async () => {
  const { reader } = await plant()
  const out = await reader.submit(await reader.open("/sign-out"), "sign-out")
  expect(out.at).toBe("/sign-in")
})
