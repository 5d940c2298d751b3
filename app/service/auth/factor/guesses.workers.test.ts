import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind, type Browser, createBrowser } from "../../../testing/browser.ts"
import { begin, createFactorPerson, finish, later, turnOn } from "../../../testing/factor-person.ts"
import { mail, openMailbox } from "../../../testing/mailbox.ts"
import { createProvenPerson } from "../../../testing/passkey-person.ts"
import { password } from "../../../testing/person.ts"

const bound = bind({ LIMIT_ADDRESS: undefined, LIMIT_EMAIL: undefined })

type App = Awaited<ReturnType<typeof turnOn>>["app"]

/** How many wrong codes are compared of five in each browser. */
async function guess(browsers: Browser[], person: { email: string; app: App }) {
  const { app, email } = person
  let compared = 0
  for (const browser of browsers) {
    expect((await begin(browser, { email, password })).status).toBe(403)
    const near = new Set([-2, -1, 0, 1, 2].map((half) => app.code(half)))
    const code = ["111111", "222222", "333333", "444444", "555555", "666666"].find(
      (one) => !near.has(one),
    )
    for (let tries = 0; tries < 5; tries += 1) {
      if ((await finish(browser, { code })).status === 400) compared += 1
    }
  }
  return compared
}

const six = Array.from({ length: 6 })

test("browsers that knew the password before the factor try twenty codes a day, together with all others", async () => {
  const person = await createProvenPerson(bound)
  const browsers: Browser[] = []
  for (const _ of six) {
    const browser = createBrowser(bound)
    await begin(browser, person)
    await browser.post("/api/auth/sign-out")
    browsers.push(browser)
  }
  const { app } = await turnOn(person)
  expect(await guess([...browsers, createBrowser(bound)], { ...person, app })).toBe(20)
})

test("a letter of the sign-up and its password give nobody more tries than twenty", async () => {
  const mailbox = openMailbox()
  const there = { ...bound, VERIFY_EMAIL: "true", ...mail }
  const own = createBrowser(there)
  const email = `guessed-${crypto.randomUUID()}@example.com`
  await own.post("/api/auth/sign-up/email", { name: "Ada", email, password })
  const link = await mailbox.linkOf(email, "Verify your e-mail address")
  await own.open(link)
  await begin(own, { email, password })
  const found = env.DB.prepare("select id from user where email = ?").bind(email)
  const id = String(await found.first("id"))
  const post = async (path: string, body: unknown) => {
    const answer = await own.post(`/api/v1/${path}`, body)
    return { status: answer.status, body: await answer.json<Record<string, unknown>>() }
  }
  const { app } = await turnOn({ post, id })
  const token = new URL(link).searchParams.get("token")
  const browsers: Browser[] = []
  for (const _ of six) {
    const browser = createBrowser(there)
    const proven = await browser.post("/api/auth/verify-email-with-password", { token, password })
    expect(proven.status).toBe(200)
    browsers.push(browser)
  }
  expect(await guess(browsers, { email, app })).toBe(20)
})

test("a browser that has reset the password has shown no code, and tries with all others", async () => {
  const mailbox = openMailbox()
  const there = { ...bound, ...mail }
  const person = await createFactorPerson(there)
  const browser = createBrowser(there)
  await browser.post("/api/auth/request-password-reset", { email: person.email })
  const link = new URL(await mailbox.linkOf(person.email, "Reset your password"))
  const reset = { token: link.searchParams.get("token"), newPassword: password }
  expect((await browser.post("/api/auth/reset-password", reset)).status).toBe(200)
  const others = Array.from({ length: 5 }, () => createBrowser(there))
  expect(await guess([browser, browser, browser, browser, browser, ...others], person)).toBe(20)
})

test("whoever guesses in other browsers keeps out none that has shown a code", async () => {
  const person = await createFactorPerson(bound)
  const own = createBrowser(bound)
  await begin(own, person)
  expect((await finish(own, { code: person.app.code() })).status).toBe(200)
  await later(person.id)
  const others = six.map(() => createBrowser(bound))
  expect(await guess(others, person)).toBe(20)
  await begin(own, person)
  expect((await finish(own, { code: person.app.code() })).status).toBe(200)
})
