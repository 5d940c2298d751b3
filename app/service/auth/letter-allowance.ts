import { sql } from "drizzle-orm"

import type { AttemptKind } from "./attempts.ts"
import { user } from "./auth.table.ts"
import type { EndpointContext } from "./cookie/host-cookie.ts"
import type { Dependencies } from "./dependencies.ts"

/**
 * Statements that count a letter to an address, and the condition that it may have one. A browser that its owner
 * has used has letters of its own, which no stranger can use up.
 */
export async function letterAllowance(
  { attempts, marks }: Pick<Dependencies, "attempts" | "marks">,
  context: EndpointContext,
  kind: AttemptKind,
  email: string,
) {
  const subject = await marks.knownBrowser.subject(context, email)
  const isKnown = typeof subject === "string" ? sql`false` : subject.when
  return {
    counts: {
      counted: attempts.count(kind, subject),
      known: attempts.count("email of known browsers", email, isKnown),
    },
    isWithin: sql`${attempts.isWithin(kind, subject)}
      and (not ${isKnown} or ${attempts.isWithin("email of known browsers", email)})`,
  }
}

/** Id of the account with the address; nobody's, where there is none: as many rows are written then. */
export function ownerOrNobody(email: string) {
  return sql<string>`coalesce((select id from ${user} where ${user.email} = ${email}), '')`
}
