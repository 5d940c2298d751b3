import { vi } from "vitest"
import * as z from "zod"

import type { Remote } from "./network.ts"

const Email = z.object({ from: z.string(), to: z.string(), subject: z.string(), text: z.string() })

/** Milliseconds; the default is one second. */
const waiting = { timeout: 30_000 }

/** Stands in for the mail sender at MAIL_URL. */
export function createMailbox() {
  const emails: z.infer<typeof Email>[] = []
  const remote: Remote = async (request) => {
    emails.push(Email.parse(await request.json()))
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
