import { expect, test } from "vitest"

import { bind } from "../../testing/browser.ts"
import { mail, openMailbox } from "../../testing/mailbox.ts"
import { createReader } from "../../testing/page-reader.ts"
import { createProvenPerson } from "../../testing/passkey-person.ts"

async function openEntry() {
  const mailbox = openMailbox()
  const bound = bind({ PAGES: "true", EMAIL_CODE: "on", ...mail, LIMIT_EMAIL: undefined })
  const { email } = await createProvenPerson(bound)
  return { mailbox, email, reader: createReader(bound) }
}

test("a member signs in with a code in two steps, and gets to where they began", async () => {
  const { mailbox, reader, email } = await openEntry()
  const start = await reader.open("/sign-in?return=http%3A%2F%2Flocalhost%3A8787%2Faccount%2Fplan")
  expect(start.html).toMatch(/href="\/sign-in\/code\?return=[^"]*plan"/)
  const page = await reader.open(
    "/sign-in/code?return=http%3A%2F%2Flocalhost%3A8787%2Faccount%2Fplan",
  )
  const odd = await reader.submit(page, "ask", { email: "nobody" })
  expect(odd.html).toMatch(/id="ask-email"[^>]*aria-invalid="true"/)
  const codePage = await reader.submit(page, "ask", { email })
  expect(codePage.at).toContain(`to=${encodeURIComponent(email)}`)
  expect(codePage.text).toContain(email)
  expect(codePage.html).toMatch(/autocomplete="one-time-code"[^>]*inputmode="numeric"/)
  const code = await mailbox.codeOf(email)
  const wrong = await reader.submit(codePage, "sign-in", { code: "00000000" })
  expect(wrong.html).toMatch(/id="sign-in-code"[^>]*aria-invalid="true"/)
  expect(wrong.text).toContain("This is not the code, or it is too old or used already.")
  const inside = await reader.submit(wrong, "sign-in", {
    code: ` ${code.slice(0, 4)} ${code.slice(4)}`,
  })
  expect(inside).toMatchObject({ at: "/account/plan", status: 200 })
})

test("too many wrong codes are told, and another code lets in", async () => {
  const { mailbox, reader, email } = await openEntry()
  const codePage = await reader.submit(await reader.open("/sign-in/code"), "ask", { email })
  const first = await mailbox.codeOf(email)
  for (let guess = 0; guess < 5; guess += 1) {
    await reader.submit(codePage, "sign-in", { code: first === "00000000" ? "1" : "00000000" })
  }
  const locked = await reader.submit(codePage, "sign-in", { code: first })
  expect(locked).toMatchObject({ status: 429 })
  expect(locked.text).toContain("minute")
  const resent = await reader.submit(locked, "again")
  expect(resent.at).toContain("to=")
  await expect.poll(() => mailbox.codeOf(email)).not.toBe(first)
  const inside = await reader.submit(resent, "sign-in", { code: await mailbox.codeOf(email) })
  expect(inside.at).toBe("/account")
})

test("an unknown address sees the same page, and in German its words", async () => {
  const { mailbox, reader } = await openEntry()
  const page = await reader.open("/sign-in/code?language=de")
  expect(page.text).toContain("Mit einem Einmalcode anmelden")
  const codePage = await reader.submit(page, "ask", { email: "nobody@example.com" })
  expect(codePage.text).toContain("Wenn diese Adresse ein Konto hat, ist ein Code unterwegs.")
  const wrong = await reader.submit(codePage, "sign-in", { code: "00000000" })
  expect(wrong.text).toContain("Das ist nicht der Code, oder er ist zu alt oder schon verwendet.")
  expect(mailbox.emails.filter(({ to }) => to === "nobody@example.com")).toEqual([])
})

test("where codes are off, their page leads to the sign-in, which does not offer them", async () => {
  const reader = createReader(bind({ PAGES: "true" }))
  const page = await reader.open("/sign-in/code")
  expect(page.at).toBe("/sign-in")
  expect(page.html).not.toContain("/sign-in/code")
})
