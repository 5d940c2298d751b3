import type { Context, Next } from "hono"

import { unlessItFails } from "../database/bounded-database.ts"
import { setHostCookie } from "../http/cookie.ts"
import type { HonoEnv } from "../http/hono-env.ts"
import { Seen } from "./session-snapshot.ts"

/**
 * The session of the request: from its snapshot, else from the database, else, if that does not answer,
 * from its snapshot again. Null if it has ended; undefined if no cookie has a valid signature.
 */
export async function findSession(context: Context<HonoEnv>) {
  const { sessions, snapshots } = context.get("services")
  const { headers } = context.req.raw
  const kept = await snapshots?.open(headers)
  if (kept?.answers === true) return kept.known
  const at = Date.now()
  const ask = () => sessions.read(headers)
  const found = await (kept === undefined ? ask() : unlessItFails(ask))
  if (kept !== undefined && found === undefined) {
    context.set("unconfirmed", Math.floor(kept.age / 1000))
    return kept.known
  }
  if (found === null) context.set("seen", null)
  // Whoever renews one that is due says what has become of it.
  if (found?.due === false) context.set("seen", { at, session: found.session, user: found.user })
  return found
}

/** The answer of the library to `get-session`, which renews the session. */
export async function seenIn(answer: Response, at: number) {
  return Seen.safeParse({ at, ...(await answer.clone().json<object | null>()) }).data ?? null
}

/** Puts a snapshot of what the request has seen into its answer, or the end of one that may be outdated. */
export async function keepSnapshot(context: Context<HonoEnv>, next: Next) {
  const { sessions, snapshots } = context.get("services")
  if (snapshots === undefined) return next()
  await next()
  const { raw } = context.req
  const { ok, headers } = context.res
  const unconfirmed = context.get("unconfirmed")
  if (unconfirmed !== undefined) {
    headers.set("accounts-session-unconfirmed", String(unconfirmed))
    return undefined
  }
  const seen = context.get("seen")
  const cookie = ok && seen ? await snapshots.keep(seen) : undefined
  // All that is not plainly a read may have changed the session or its user, or found them changed.
  const isOfSession = headers.getSetCookie().some((line) => /\.session_token=/.test(line))
  const isOver = raw.method !== "GET" || !ok || isOfSession || seen !== undefined
  const hasSession = sessions.tokenOf(raw.headers) !== undefined
  const ended = hasSession && isOver ? snapshots.ending() : []
  for (const one of cookie === undefined ? ended : [cookie]) setHostCookie(context, one)
  return undefined
}
