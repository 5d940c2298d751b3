import * as z from "zod"

import { jsonColumn, openState } from "../../cloudflare/state/state.ts"

/** The fields of Stripe's checkout session that the service and the pages read. */
export const Session = z.object({
  id: z.string(),
  object: z.literal("checkout.session"),
  client_reference_id: z.string(),
  status: z.enum(["open", "complete", "expired"]),
  payment_status: z.enum(["paid", "unpaid"]),
  amount_total: z.number(),
  currency: z.string(),
  title: z.string(),
  success_url: z.string(),
  cancel_url: z.string(),
  /** Seconds since 1970. */
  created: z.number(),
  /** Seconds since 1970. */
  expires_at: z.number(),
  /** The page to pay on; `null` unless the session is open. */
  url: z.string().nullable(),
  /** Once it is complete. */
  payment_intent: z.string().nullable().default(null),
  /** What became of the money. */
  refunded: z.boolean().default(false),
  dispute: z.enum(["needs_response", "won", "lost"]).nullable().default(null),
})
export type Session = z.infer<typeof Session>

const Stored = z.object({ session: jsonColumn(Session), ordered: z.string() })
export type Sessions = ReturnType<typeof openSessions>

/** Sessions kept; older ones are deleted. */
const capacity = 1000

const schema = {
  version: 1,
  sql: `CREATE TABLE session (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, key TEXT UNIQUE,
    ordered TEXT NOT NULL, session TEXT NOT NULL
  ) STRICT;
  CREATE TABLE event (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, type TEXT NOT NULL,
    body TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, due INTEGER, outcome TEXT
  ) STRICT`,
}

export function openSessions(file: string) {
  const state = openState(file, schema)
  return {
    state,
    find(id: string) {
      return state.find(Stored, "SELECT session, ordered FROM session WHERE id = ?", id)?.session
    },
    /** The session opened with an idempotency key, and its order as JSON. */
    findByKey(key: string) {
      const row = state.find(Stored, "SELECT session, ordered FROM session WHERE key = ?", key)
      return row && { session: row.session, order: row.ordered }
    },
    findByIntent: (intent: string) =>
      state.find(
        Stored,
        "SELECT session, ordered FROM session WHERE json_extract(session, '$.payment_intent') = ?",
        intent,
      )?.session,
    open({ session, order, key }: { session: Session; order: string; key: string | undefined }) {
      state.transaction(() => {
        state.run(
          "DELETE FROM session WHERE number <= (SELECT max(number) FROM session) - ?",
          capacity,
        )
        state.insert("session", { id: session.id, key: key ?? null, ordered: order, session })
      })
    },
    put: (session: Session) =>
      state.run("UPDATE session SET session = ? WHERE id = ?", JSON.stringify(session), session.id),
    /** Newest first. */
    list: () =>
      state
        .list(Stored, "SELECT session, ordered FROM session ORDER BY number DESC LIMIT 50")
        .map(({ session }) => session),
  }
}
