import { expect, test } from "vitest"

import { bind } from "../testing/browser.ts"
import { createReader } from "../testing/page-reader.ts"

const back = "http://localhost:3000/next"

test("a front end asks for a consent, gets people back, and they can withdraw it", async () => {
  const reader = createReader(bind({ PAGES: "true" }))
  const email = `consent-${crypto.randomUUID()}@example.com`
  const search = `?purpose=terms&version=3&return=${encodeURIComponent(back)}`
  const signIn = await reader.open(`/consent${search}`)
  expect(signIn.at).toMatch(/^\/sign-in\?return=/)
  const form = await reader.open(/href="(\/sign-up[^"]*)"/.exec(signIn.html)?.[1] ?? "")
  const person = { name: "Ada", email, password: "a good long password" }
  const question = await reader.submit(form, "sign-up", person)
  expect(question.text).toContain("Do you agree: terms of use, version 3?")
  expect((await reader.submit(question, "agree")).at).toBe(back)

  const list = await reader.open("/account/consents")
  expect(list.text).toMatch(/terms of use 3/)
  expect((await reader.submit(list, "withdraw")).text).toContain("withdrawn")
  expect((await reader.open("/consent?purpose=nothing&version=1")).at).toBe("/account/consents")
})

test("of many forms with the same button, the refused one shows the reason, or the page does if the form is gone", async () => {
  const reader = createReader(bind({ PAGES: "true" }))
  const email = `consents-${crypto.randomUUID()}@example.com`
  const person = { name: "Ada", email, password: "a good long password" }
  await reader.submit(await reader.open("/sign-up"), "sign-up", person)
  for (const purpose of ["terms", "privacy"]) {
    const path = `/consent?purpose=${purpose}&version=1`
    await reader.submit(await reader.open(path), "agree")
  }
  const list = await reader.open("/account/consents")
  expect(list.html.match(/value="withdraw"/g)).toHaveLength(2)
  const text = "Call 0900 123456 to keep your account"
  const odd = await reader.open(`/consent?purpose=terms&version=${encodeURIComponent(text)}`)
  expect([odd.status, odd.text.includes(text)]).toEqual([200, false])
  const withdrawn = await reader.submit(list, "withdraw", { id: "consent_0" })
  expect(withdrawn.html.match(/role="alert"/g)).toHaveLength(1)
  expect(withdrawn.html).toMatch(/<\/h1><p class="bad" role="alert">/)
})
