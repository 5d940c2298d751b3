import * as z from "zod"

import { openState } from "../../cloudflare/state/state.ts"

/** An e-mail as the service sends it. */
export const Message = z.strictObject({
  from: z.string().min(1).max(320),
  to: z.email({ pattern: z.regexes.html5Email }).max(320),
  subject: z.string().min(1).max(500),
  text: z.string().max(100_000),
})
export type Message = z.infer<typeof Message>

export type Email = Message & {
  id: number
  /** When it arrived, ISO 8601. */
  time: string
}

/** E-mails kept; older ones are deleted. */
const capacity = 500

const schema = {
  version: 1,
  sql: `CREATE TABLE letter (
    id INTEGER PRIMARY KEY AUTOINCREMENT, time TEXT NOT NULL, sender TEXT NOT NULL,
    recipient TEXT NOT NULL, subject TEXT NOT NULL, text TEXT NOT NULL
  ) STRICT`,
}

const Row = z
  .object({
    id: z.number(),
    time: z.string(),
    sender: z.string(),
    recipient: z.string(),
    subject: z.string(),
    text: z.string(),
  })
  .transform(({ sender: from, recipient: to, ...rest }): Email => ({ from, to, ...rest }))

/** Only its owner can read `file`: e-mails contain links that open accounts. */
export function openOutbox(file: string) {
  const state = openState(file, schema)
  return {
    /** @returns the id */
    put({ from: sender, to: recipient, subject, text }: Message): number {
      const time = new Date().toISOString()
      return state.transaction(() => {
        state.run("DELETE FROM letter WHERE id <= (SELECT max(id) FROM letter) - ?", capacity - 1)
        state.insert("letter", { time, sender, recipient, subject, text })
        return Number(state.get("SELECT last_insert_rowid() AS id")?.["id"])
      })
    },
    /** The e-mails with a higher id, oldest first. */
    after: (id: number) => state.list(Row, "SELECT * FROM letter WHERE id > ? ORDER BY id", id),
    clear: () => state.run("DELETE FROM letter"),
    close: () => state.close(),
  }
}
