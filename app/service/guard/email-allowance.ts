import { sql, type SQL } from "drizzle-orm"

import { user } from "../platform/database/auth.table.ts"
import type { Attempts, Counted, Subject } from "./attempts.ts"
import { networksOf } from "./rate-limit.ts"

type Asked = {
  email: string
  kind: "email" | "code email"
  headers: Headers | undefined
  /** `marks.knownBrowser.subject` of the requesting browser. */
  browser?: Subject
  /** Subject of the hourly count, if it is not the address. */
  subject?: Subject
  /**
   * Condition that an email will be sent. Other requests have their own count, so that they do not use up the owner's
   * allowance.
   */
  isOwed?: SQL
  /** Networks whose limit requests of unknown browsers count against. */
  networks?: Counted[]
  /** Condition for counting. Default: always. */
  when?: SQL
}

/**
 * Returns the statement that counts an email to an address, of any content, and the condition that it is within the
 * limits. A known browser has its own allowance, which no stranger can use up.
 */
export function emailAllowance(attempts: Attempts, request: Asked) {
  const { email, kind, headers, browser = email, when } = request
  const { isOwed = sql`exists (select 1 from ${user} where ${user.email} = ${email})` } = request
  const mark = typeof browser === "object" && "known" in browser ? browser : undefined
  const either = (name: string, subject: string | Counted | null): Subject => {
    const alternative = {
      known: { name },
      other: { name, as: "no account" },
      when: isOwed,
    } as const
    return mark ? { known: subject, other: alternative, when: mark.when } : alternative
  }
  const outside = (subject: Subject): Subject =>
    mark ? { known: null, other: subject, when: mark.when } : subject
  const ownSubject = kind === "email" ? either(email, mark?.known ?? null) : browser
  const site = networksOf(headers ?? new Headers())?.site
  const counted = [
    { kind, subject: request.subject ?? ownSubject, when },
    { kind: "all emails" as const, subject: either(email, email), when },
    ...(site === undefined
      ? []
      : [{ kind: "network emails" as const, subject: either(`${email} ${site}`, null), when }]),
    ...(request.networks === undefined
      ? []
      : [{ kind: "code network" as const, subject: outside(request.networks), when }]),
  ]
  const conditions = counted.map((each) => attempts.isWithin(each.kind, each.subject))
  return {
    counts: attempts.countAll(counted),
    isWithin: sql.join(conditions, sql` and `),
    admits: (rows: Parameters<Attempts["admits"]>[1]) =>
      counted.every((each) => attempts.admits(each.kind, rows)),
  }
}

/**
 * Returns the id of the account with this address, or an empty string, so that both cases write the same number of
 * rows.
 */
export function ownerOrNobody(email: string) {
  return sql<string>`coalesce((select id from ${user} where ${user.email} = ${email}), '')`
}

/** Subject of the emails that admins send, so that no stranger uses up their limit. */
export function ofAdmins(email: string) {
  return `${email} of admins`
}
