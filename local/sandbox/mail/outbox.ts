import * as z from "zod"

import { openState } from "../../cloudflare/state/state.ts"

/** A mail as the service hands it over. */
export const Mail = z.strictObject({
  from: z.string().min(1).max(320),
  to: z.email().max(320),
  subject: z.string().min(1).max(500),
  text: z.string().max(100_000),
})
export type Mail = z.infer<typeof Mail>

export type Letter = Mail & {
  id: number
  /** ISO 8601, arrival. */
  time: string
}

export type Outbox = {
  put(mail: Mail): Letter
  /** Those with a higher id, in the order of their arrival. */
  after(id: number): Letter[]
  clear(): void
  close(): void
}

/** Letters that are kept; older ones go. */
const most = 500

const schema = [
  `CREATE TABLE letter (
    id INTEGER PRIMARY KEY AUTOINCREMENT, time TEXT NOT NULL, sender TEXT NOT NULL,
    recipient TEXT NOT NULL, subject TEXT NOT NULL, text TEXT NOT NULL
  ) STRICT`,
]

const Row = z
  .object({
    id: z.number(),
    time: z.string(),
    sender: z.string(),
    recipient: z.string(),
    subject: z.string(),
    text: z.string(),
  })
  .transform(({ sender: from, recipient: to, ...rest }): Letter => ({ from, to, ...rest }))

/** The letters in a file for its owner alone: they hold links that open accounts. */
export function openOutbox(file: string): Outbox {
  const state = openState(file, { steps: schema })
  return {
    put({ from, to, subject, text }) {
      const time = new Date().toISOString()
      const row = state.transaction(() => {
        state.run("DELETE FROM letter WHERE id <= (SELECT max(id) FROM letter) - ?", most - 1)
        return state.get(
          `INSERT INTO letter (time, sender, recipient, subject, text) VALUES (?, ?, ?, ?, ?)
           RETURNING *`,
          time,
          from,
          to,
          subject,
          text,
        )
      })
      return Row.parse(row)
    },
    after: (id) =>
      state.all("SELECT * FROM letter WHERE id > ? ORDER BY id", id).map((row) => Row.parse(row)),
    clear: () => state.run("DELETE FROM letter"),
    close: () => state.close(),
  }
}
