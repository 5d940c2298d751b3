import { expect, test } from "vitest"

import { bind } from "../testing/browser.ts"
import { mail, openMailbox } from "../testing/mailbox.ts"
import { apiUrl } from "../testing/origins.ts"
import { openPageAccount } from "../testing/page-owner.ts"
import { createReader } from "../testing/page-reader.ts"
import { password } from "../testing/person.ts"
import { countRows } from "../testing/rows.ts"

const bound = bind({
  PAGES: "true",
  EMAIL_CODE: "on",
  ...mail,
  LIMIT_EMAIL: undefined,
  LIMIT_ADDRESS: undefined,
})

async function join() {
  openMailbox()
  return (await openPageAccount(bound, { change: "email_verified = 1" })).reader
}

test.each(["//evil.example/x", "/\\evil.example", "///evil.example/"])(
  "a path that another host could be read of, %s, makes no link to it",
  async (path) => {
    for (const reader of [await join(), createReader(bound)]) {
      const answer = await reader.browser.send("GET", `${apiUrl}${path}`)
      const html = await answer.text()
      const links = [...html.matchAll(/(?:href|action)="([^"]*)"/g)].map(([, link = ""]) => link)
      expect(links.length).toBeGreaterThan(2)
      expect([answer.status, answer.headers.get("location")]).toEqual([404, null])
      expect(links.filter((link) => new URL(link, apiUrl).host === "evil.example")).toEqual([])
    }
  },
)

test("no page shows a text that a link contains", async () => {
  const member = await join()
  const text = "Call 0900 123456 to keep your account"
  const words = encodeURIComponent(text)
  for (const [reader, path] of [
    [createReader(bound), `/sign-in/code?to=${words}`],
    [createReader(bound), `/sign-in?error=${words}&reason=${words}&done=${words}`],
    [createReader(bound), `/sign-in/second-factor?ways=${words}`],
    [member, `/account/address?to=${words}`],
    [member, `/account/step-up?ways=${words}`],
  ] as const) {
    const page = await reader.open(path)
    expect([path, page.status, page.text.includes(text)]).toEqual([path, 200, false])
  }
  expect((await createReader(bound).open("/sign-in/code?to=ada@example.com")).text).toContain(
    "ada@example.com",
  )
})

test("no link makes a page say what has happened, or was refused", async () => {
  const member = await join()
  const claims = "done=gone&error=account_suspended&reason=abuse"
  for (const [reader, path] of [
    [createReader(bound), "/sign-in"],
    [createReader(bound), "/sign-in/second-factor"],
    [createReader(bound), "/sign-up"],
    [member, "/account"],
    [member, "/account/ways"],
  ] as const) {
    const page = await reader.open(`${path}?${claims}`)
    expect([path, page.status, /role="(?:status|alert)"(?! hidden)/.test(page.html)]).toEqual([
      path,
      200,
      false,
    ])
  }
  // A message of the service appears on one page only.
  const saved = await member.submit(await member.open("/account"), "save", { name: "Ada" })
  expect([saved.at, saved.text.includes("Saved.")]).toEqual(["/account", true])
  expect((await member.open("/account")).text).not.toContain("Saved.")
})

test("whatever a form says of an app's key, the page with it is no failure", async () => {
  const reader = await join()
  for (const uri of ["x".repeat(10_000), `otpauth://totp/${"x".repeat(10_000)}`, "\0", ""]) {
    const fields = { act: "confirm", enrolment: "x", code: "123456", uri }
    const answer = await reader.post("/account/second-factor", fields)
    expect([uri.length, answer.status]).toEqual([uri.length, 400])
  }
})

test("an expired invitation does not prevent an open sign-up", async () => {
  openMailbox()
  const reader = createReader(bound)
  const email = `odd-${crypto.randomUUID()}@example.com`
  const filled = { name: "Ona", email, password }
  const form = await reader.open("/sign-up?invitation=long-gone")
  const refused = await reader.submit(form, "sign-up", filled)
  expect(refused.status).toBe(400)
  await reader.submit(refused, "sign-up", filled)
  expect(await countRows("user", "email", email)).toBe(1)
})
