import * as z from "zod"

import { plans, withPlanOf } from "../../plan/plan.ts"
import type { Configuration } from "../configuration/configuration.ts"
import { readCookie } from "../http/cookie.ts"
import { cookieName } from "./cookie/browser-cookies.ts"
import { roles } from "./role.ts"
import type { SessionReader } from "./session-reader.ts"

/** What a browser surely keeps with name and attributes: RFC 6265, section 6.1, has 4096 bytes. */
const longest = 3800

export const ShownUser = z.looseObject({
  id: z.string(),
  name: z.string(),
  role: z.enum(roles),
  plan: z.enum(plans),
  planUntil: z.coerce.date().nullable(),
})

export const Seen = z.object({
  /** Unix time (ms) before which the database was asked. */
  at: z.number(),
  session: z.looseObject({ token: z.string(), expiresAt: z.coerce.date() }),
  user: ShownUser,
})

/** A session and its user as the database had them. */
export type Seen = z.infer<typeof Seen>

/** Another version may have written other columns. */
function hasColumns(row: object, columns: object) {
  return Object.keys(row).toSorted().join() === Object.keys(columns).toSorted().join()
}

/**
 * What `get-session` last answered, sealed in a cookie beside that of the session: it answers for that
 * session alone, and for as long as the environment says.
 */
export function createSnapshots(configuration: Configuration, { tokenOf, columns }: SessionReader) {
  const { keys, sessionCache, sessionGrace = 0 } = configuration
  if (sessionCache === undefined) return undefined
  const maxAge = Math.max(sessionCache, sessionGrace)
  const name = cookieName(configuration, "session_snapshot")
  const change = cookieName(configuration, "last_change")

  return {
    /** Cookies that end the snapshot of a browser, and those of before that are on their way. */
    ending: () => [
      { name, value: "", maxAge: 0 },
      { name: change, value: String(Date.now()), maxAge },
    ],

    /** The cookie's parts; undefined for what no snapshot may answer. */
    keep: async (seen: Seen) => {
      // A front end may show what is an admin's by the role: one that ends must end everywhere at once.
      if (seen.user.role !== "member") return undefined
      const value = await keys.seal("session_snapshot", seen)
      return value.length > longest ? undefined : { name, value, maxAge }
    },

    /** The session of the request as its snapshot has it, the snapshot's age (ms), and whether it answers. */
    open: async (headers: Headers) => {
      const token = tokenOf(headers)
      const sealed = readCookie(headers, name)
      if (token === undefined || sealed === undefined) return undefined
      const opened = await keys.open("session_snapshot", sealed)
      const { data } = Seen.safeParse(opened?.claims)
      if (data === undefined || data.session.token !== token) return undefined
      if (!hasColumns(data.session, columns.session)) return undefined
      if (!hasColumns(data.user, columns.user)) return undefined
      const age = Date.now() - data.at
      const hasEnded = data.session.expiresAt.getTime() < Date.now()
      if (data.at < Number(readCookie(headers, change))) return undefined
      if (age < 0 || age >= maxAge * 1000 || hasEnded) return undefined
      const known = { session: data.session, user: withPlanOf(data.user), due: false }
      return { known, age, answers: age < sessionCache * 1000 }
    },
  }
}
