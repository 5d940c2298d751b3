import { env } from "cloudflare:workers"

import { bind } from "../../../../testing/browser.ts"
import { mail, openMailbox } from "../../../../testing/mailbox.ts"
import { createPerson } from "../../../../testing/person.ts"
import type { Env } from "../../../platform/configuration/env.ts"

export function newAddress(name = "new") {
  return `${name}-${crypto.randomUUID()}@example.com`
}

/** Opens a mailbox, and members with verified addresses. */
export function openMail(changes: Partial<Env> = {}) {
  const mailbox = openMailbox()
  const bound = bind({ ...mail, LIMIT_EMAIL: undefined, ...changes })
  const createMover = async (bindings: Env = bound) => {
    const person = await createPerson(bindings)
    const verify = "update user set email_verified = 1, unproven_since = null where id = ?"
    await env.DB.prepare(verify).bind(person.id).run()
    const ask = (newEmail: string) => person.post("changeEmail", { newEmail })
    const confirm = (newEmail: string, code: string) =>
      person.post("confirmEmail", { newEmail, code })
    return { ...person, ask, confirm }
  }
  return {
    mailbox,
    bound,
    createMover,
    /** Subjects of the emails that have arrived. */
    lettersTo: (address: string) =>
      mailbox.emails.filter(({ to }) => to === address).map(({ subject }) => subject),
  }
}

export function emailOf(id: string) {
  return env.DB.prepare("select email from user where id = ?").bind(id).first("email")
}

export function idOf(email: string) {
  return env.DB.prepare("select id from user where email = ?").bind(email).first("id")
}
