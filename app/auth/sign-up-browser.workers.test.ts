import { expect, test } from "vitest"

import { bindProduction, createBrowser } from "../testing/browser.ts"
import { createMailbox } from "../testing/mailbox.ts"
import { createNetwork } from "../testing/network.ts"

const webUrl = "https://app.example.com"
const passwords = { mallory: "the password of mallory", victim: "the password of victim" }

function setUp() {
  const mailbox = createMailbox()
  const network = createNetwork({ "mail.example": mailbox.remote })
  const bound = bindProduction({ LIMIT_EMAIL: undefined })
  const email = `victim-${crypto.randomUUID()}@example.com`
  const browserOf = () => createBrowser(bound, webUrl)
  type Browser = ReturnType<typeof browserOf>
  return {
    network,
    browserOf,
    signUp: (browser: Browser, password: string) =>
      browser.post("/api/auth/sign-up/email", { name: "Ada", email, password }),
    signIn: async (password: string) =>
      (await browserOf().post("/api/auth/sign-in/email", { email, password })).status,
    /** Opens the newest of so many letters, as a mail program makes a browser do. */
    openNewest: async (browser: Browser, count: number) => {
      const letter = (await mailbox.arrived(count)).at(-1)
      const link = /https?:\S+/.exec(letter?.text ?? "")?.[0] ?? ""
      const visitor = createBrowser(bound, null)
      for (const [name, value] of browser.cookies) visitor.cookies.set(name, value)
      return visitor.get(link)
    },
  }
}

test("a browser that signed up does not verify the password of a stranger who did so after it", async () => {
  const { network, browserOf, signUp, signIn, openNewest } = setUp()
  using _ = network
  const victim = browserOf()
  await signUp(victim, passwords.victim)
  await signUp(browserOf(), passwords.mallory)
  const opened = await openNewest(victim, 2)
  expect(opened.headers.get("location")).toBe(`${webUrl}?error=ANOTHER_SIGN_UP`)
  expect(await signIn(passwords.mallory)).toBe(403)

  await signUp(victim, passwords.victim)
  expect((await openNewest(victim, 3)).headers.get("location")).toBe(webUrl)
  expect([await signIn(passwords.mallory), await signIn(passwords.victim)]).toEqual([401, 200])
})

test("a link that is opened on another device verifies the address, and signs nobody in", async () => {
  const { network, browserOf, signUp, signIn, openNewest } = setUp()
  using _ = network
  await signUp(browserOf(), passwords.victim)
  const opened = await openNewest(browserOf(), 1)
  expect(opened.headers.get("location")).toBe(webUrl)
  expect(opened.headers.getSetCookie()).toEqual([])
  expect(await signIn(passwords.victim)).toBe(200)
})

test("a browser that signed up with one address verifies another's link", async () => {
  const { network, browserOf, signUp, signIn, openNewest } = setUp()
  using _ = network
  const browser = browserOf()
  await signUp(browser, passwords.victim)
  const other = {
    name: "Ada",
    email: `${crypto.randomUUID()}@example.com`,
    password: "x".repeat(9),
  }
  const opened = await openNewest(browser, 1)
  expect(opened.headers.get("location")).toBe(webUrl)
  await browser.post("/api/auth/sign-up/email", other)
  expect((await openNewest(browser, 2)).headers.get("location")).toBe(webUrl)
  expect(await signIn(passwords.victim)).toBe(200)
})
