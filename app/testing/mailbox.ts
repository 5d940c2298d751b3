import { vi } from "vitest"
import * as z from "zod"

import { createNetwork, type Remote } from "./network.ts"

const Email = z.object({ from: z.string(), to: z.string(), subject: z.string(), text: z.string() })

/** Milliseconds; the default is one second. */
const waiting = { timeout: 30_000 }

/**
 * Stands in for the mail sender at MAIL_URL. An e-mail that has the key of a former one is not sent
 * again (https://resend.com/docs/dashboard/emails/idempotency-keys).
 */
export function createMailbox() {
  const emails: z.infer<typeof Email>[] = []
  const keys = new Set<string>()
  const remote: Remote = async (request) => {
    const email = Email.parse(await request.json())
    const key = request.headers.get("idempotency-key") ?? crypto.randomUUID()
    if (!keys.has(key)) emails.push(email)
    keys.add(key)
    return Response.json({ id: key })
  }
  return {
    emails,
    remote,
    /** Waits until `count` e-mails have arrived, and returns all. */
    arrived: (count: number) =>
      vi.waitFor(() => {
        if (emails.length < count) throw new Error(`${emails.length} of ${count} e-mails arrived`)
        return emails
      }, waiting),
    /** Waits for a code, and returns the newest. */
    codeOf: (to: string) =>
      vi.waitFor(() => {
        const email = emails.findLast(
          (candidate) => candidate.to === to && /^\d{8}$/m.test(candidate.text),
        )
        const code = /^\d{8}$/m.exec(email?.text ?? "")?.[0]
        if (code === undefined) throw new Error(`no code was sent to ${to}`)
        return code
      }, waiting),
    /** Waits for an e-mail, which is sent after the response, and returns its link. */
    linkOf: (to: string, subject: string) =>
      vi.waitFor(() => {
        const email = emails.find(
          (candidate) => candidate.to === to && candidate.subject === subject,
        )
        const link = /https?:\/\/\S+/.exec(email?.text ?? "")?.[0]
        if (link === undefined) {
          throw new Error(`no e-mail "${subject}" with a link was sent to ${to}`)
        }
        return link
      }, waiting),
  }
}

/** Bindings that send emails there. */
export const mail = { MAIL_URL: "https://mail.example/send" }

/** The mailbox in a network that has nothing else but these. */
export function openMailbox(remotes: Record<string, Remote> = {}) {
  const mailbox = createMailbox()
  const { requests } = createNetwork({ "mail.example": mailbox.remote, ...remotes })
  return { ...mailbox, requests }
}
