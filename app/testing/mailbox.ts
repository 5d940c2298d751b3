import { vi } from "vitest"

import type { Remote } from "./network.ts"

type Letter = { from: string; to: string; subject: string; text: string }

/** Milliseconds: vitest waits for one second by itself. */
const patience = { timeout: 30_000 }

/** The other end of MAIL_URL. */
export function createMailbox() {
  const letters: Letter[] = []
  const remote: Remote = async (request) => {
    letters.push(await request.json())
    return Response.json({ id: String(letters.length) })
  }
  return {
    letters,
    remote,
    /** What was sent, once there are as many letters. */
    arrived: (count: number) =>
      vi.waitFor(() => {
        if (letters.length < count) throw new Error(`${letters.length} of ${count} letters arrived`)
        return letters
      }, patience),
    /** The link of a letter, once it has arrived: mails are sent after the answer. */
    linkOf: (to: string, subject: string) =>
      vi.waitFor(() => {
        const letter = letters.find(
          (candidate) => candidate.to === to && candidate.subject === subject,
        )
        const link = /https?:\/\/\S+/.exec(letter?.text ?? "")?.[0]
        if (link === undefined) throw new Error(`no letter "${subject}" with a link went to ${to}`)
        return link
      }, patience),
  }
}
