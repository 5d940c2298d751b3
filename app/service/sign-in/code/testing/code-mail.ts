import { env } from "cloudflare:workers"
import { vi } from "vitest"

import { bind, type Browser } from "../../../../testing/browser.ts"
import { mail, openMailbox } from "../../../../testing/mailbox.ts"
import { createPerson } from "../../../../testing/person.ts"
import { countRows } from "../../../../testing/rows.ts"
import type { Env } from "../../../platform/configuration/env.ts"

/** Opens an environment with emailed sign-in codes, and its mailbox. */
export function openCodes(changes: Partial<Env> = {}) {
  const mailbox = openMailbox()
  const bound = bind({ ...mail, LIMIT_EMAIL: undefined, EMAIL_CODE: "on", ...changes })
  const lettersTo = (email: string) =>
    mailbox.emails.filter(({ to, text }) => to === email && /^\d{8}$/m.test(text))
  const send = (browser: Browser, email: string, headers?: Record<string, string>) =>
    browser.post("/api/auth/sign-in/code/begin", { email }, headers)
  return {
    bound,
    mailbox,
    lettersTo,
    send,
    enter: (browser: Browser, code: string, rest: object = {}) =>
      browser.post("/api/auth/sign-in/code", { code, ...rest }),
    /** Requests a code, and returns it once its email has arrived. */
    codeFor: async (browser: Browser, email: string, headers?: Record<string, string>) => {
      const { length } = lettersTo(email)
      await send(browser, email, headers)
      return vi.waitFor(
        () => {
          const code = /^\d{8}$/m.exec(lettersTo(email)[length]?.text ?? "")?.[0]
          if (code === undefined) throw new Error(`no code was sent to ${email}`)
          return code
        },
        { timeout: 30_000 },
      )
    },
    /** A member who has proven their address, unless the change says otherwise. */
    createMember: async (change = "email_verified = 1, unproven_since = null") => {
      const person = await createPerson(bound)
      await env.DB.prepare(`update user set ${change} where id = ?`).bind(person.id).run()
      return person
    },
  }
}

/** Another code. */
export function otherThan(code: string) {
  return String((Number(code) + 1) % 10 ** 8).padStart(8, "0")
}

export async function sessionsOf(userId: string) {
  return countRows("session", "user_id", userId)
}
