import { vi } from "vitest"

import type { Remote } from "./network.ts"

type Email = { from: string; to: string; subject: string; text: string }

/** Milliseconds; the default is one second. */
const waiting = { timeout: 30_000 }

/** Stands in for the mail sender at MAIL_URL. */
export function createMailbox() {
  const emails: Email[] = []
  const remote: Remote = async (request) => {
    emails.push(await request.json())
    return Response.json({ id: String(emails.length) })
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
