import { createHmac, timingSafeEqual } from "node:crypto"

import { getCookies } from "better-auth/cookies"
import { eq, getTableColumns, sql } from "drizzle-orm"

import type { Configuration } from "../configuration.ts"
import type { Database } from "../database.ts"
import { session, user } from "./auth.table.ts"
import type { Auth } from "./auth.ts"

type Options = {
  configuration: Configuration
  database: Database
  auth: Auth
}

const { signInFailures: _, signInFailuresSince: __, ...shownOfUser } = getTableColumns(user)

export type Sessions = ReturnType<typeof createSessions>

/**
 * The library's reading of a session, made once more for what nearly every request asks: a good
 * cookie, one statement. The library itself takes four times as long around the same statement.
 */
export function createSessions({ configuration, database, auth }: Options) {
  const { name } = getCookies(auth.options).sessionToken
  const { expiresIn, updateAge } = auth.options.session
  const statement = database
    .select({ session, user: shownOfUser })
    .from(session)
    .innerJoin(user, eq(user.id, session.userId))
    .where(eq(session.token, sql.placeholder("token")))
    .prepare()

  return {
    /**
     * Whose cookie it is, and whether the session is due to be prolonged; null where its session is
     * over, undefined where there is no cookie with a good signature.
     */
    read: async (headers: Headers) => {
      const cookie = valueOf(headers.get("cookie") ?? "", name)
      const token = verify(cookie, configuration.secret.reveal())
      if (token === undefined) return undefined
      const [found] = await statement.all({ token })
      const now = Date.now()
      if (found === undefined || found.session.expiresAt.getTime() < now) return null
      const prolonged = found.session.expiresAt.getTime() - expiresIn * 1000
      return { ...found, due: prolonged + updateAge * 1000 <= now }
    },
  }
}

/** The first of the name, as everywhere. */
function valueOf(header: string, name: string) {
  const pair = header.split(";").find((candidate) => candidate.trimStart().startsWith(`${name}=`))
  return pair?.slice(pair.indexOf("=") + 1).trim() ?? ""
}

/** The token of `<token>.<HMAC-SHA256 of it, base64>`, encoded as a URI component. */
function verify(cookie: string, secret: string) {
  const [, token, signature] = /^(\w+)\.(.+)$/.exec(cookie) ?? []
  if (token === undefined || signature === undefined) return undefined
  const mac = createHmac("sha256", secret).update(token).digest("base64")
  const expected = Buffer.from(encodeURIComponent(mac))
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected) ? token : undefined
}
