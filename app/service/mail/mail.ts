import type { Secret } from "../configuration/secret.ts"
import { log, reasonOf } from "../http/log.ts"
import { call } from "../http/outbound.ts"

export type MailSender = {
  url: string
  from: string
  secret: Secret | undefined
}

export type Mail = {
  to: string
  subject: string
  text: string
  /** Of one that may come again: a sender which knows such keys takes it once. */
  key?: string | undefined
}

/** Posts an e-mail to the sender; returns whether it took it. Logs failures instead of throwing. */
export async function sendMail(sender: MailSender, { key, ...mail }: Mail) {
  try {
    const { ok, status } = await call(sender.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(key !== undefined && { "idempotency-key": key }),
        ...(sender.secret === undefined
          ? {}
          : { authorization: `Bearer ${sender.secret.reveal()}` }),
      },
      body: JSON.stringify({ from: sender.from, ...mail }),
    })
    if (!ok) log("error", "mail.refused", { subject: mail.subject, status })
    return ok
  } catch (error) {
    log("error", "mail.failed", { subject: mail.subject, reason: reasonOf(error) })
    return false
  }
}
