import type { Env } from "../service/platform/configuration/env.ts"
import { bindProduction, createBrowser } from "./browser.ts"
import { openMailbox } from "./mailbox.ts"
import { password } from "./person.ts"

export const webUrl = "https://app.example.com"

/** Password of a stranger who knows the owner's address. */
export const stolen = "a password of mallory"

/** An address, its mailbox, and anonymous requests about it under the rules of production. */
export function knowAddress(changes: Partial<Env> = {}) {
  const mailbox = openMailbox()
  const bound = bindProduction({ LIMIT_EMAIL: undefined, LIMIT_ADDRESS: undefined, ...changes })
  const email = `victim-${crypto.randomUUID()}@example.com`
  const browserOf = (at = bound) => createBrowser(at, webUrl)
  type Browser = ReturnType<typeof browserOf>
  const post = (path: string, body: object, browser = browserOf()) =>
    browser.call(`/api/auth/${path}`, { email, ...body })
  return {
    mailbox,
    bound,
    email,
    browserOf,
    post,
    signUp: (word: string, browser?: Browser) =>
      post("sign-up/email", { name: "Ada", password: word }, browser),
    signIn: (word: string, browser?: Browser) => post("sign-in/email", { password: word }, browser),
    /** Opens the page to which an emailed link leads. */
    open: async (index: number, browser: Browser) => {
      const letter = (await mailbox.arrived(index + 1))[index]
      const link = /https?:\S+/.exec(letter?.text ?? "")?.[0] ?? ""
      return new URL((await browser.open(link)).headers.get("location") ?? "")
    },
    /** Creates an account whose owner has opened the email. */
    join: async () => {
      const home = browserOf()
      await post("sign-up/email", { name: "Ada", password }, home)
      await home.open(await mailbox.linkOf(email, "Verify your email address"))
      return home
    },
  }
}
