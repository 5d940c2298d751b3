import { createHmac } from "node:crypto"

import { and, eq, sql, type SQL } from "drizzle-orm"

import { rowIf } from "../database/conditional-row.ts"
import type { Database } from "../database/database.ts"
import type { FailureCode } from "../http/failure.ts"
import { createApiError } from "./api-error.ts"
import { attempt } from "./attempt.table.ts"
import type { Keys } from "./keys.ts"

const minute = 60 * 1000
const day = 24 * 60 * minute

/** How many attempts of a kind are let through, in a window of milliseconds from the first. */
export const allowances = {
  /** Sign-ins with an address: of each browser that has signed in with it before, and of all others. */
  "sign-in": { limit: 10, window: 15 * minute },
  /** The current password of a signed-in user. */
  password: { limit: 10, window: 15 * minute },
  /** What works once, as a challenge: longer than any of them lives. */
  once: { limit: 1, window: 60 * minute },
  email: { limit: 3, window: 60 * minute },
  /** To an address, for all browsers together that have signed in with it: whoever signs in often has many. */
  "email of known browsers": { limit: 20, window: day },
  /** Of a network, by whatever way: who has a domain has as many addresses as they like, and each account stays. */
  "sign-up": { limit: 150, window: day },
  /** Accounts that an address leaves, by deletion or for another address: what each leaves behind stays for years. */
  leaving: { limit: 1, window: day },
  /** Codes that a member asks for, to prove other addresses. */
  address: { limit: 10, window: day },
  /** Codes that a member tries. */
  "address code": { limit: 5, window: 60 * minute },
  /** Letters with a code to sign in, to an address: of each browser that has signed in with it before, and of all others. */
  "code letter": { limit: 3, window: 60 * minute },
  /** Those that a network asks for, for whatever addresses. */
  "code network": { limit: 500, window: day },
  /** Codes that a browser tries for one letter. */
  "sign-in code": { limit: 5, window: 60 * minute },
  /**
   * Codes of an app that are tried, of all browsers that are known and of all others: of a million, three are right
   * at a time. A recovery code has 80 bits, so its count keeps nobody out whom a stranger has locked out of the other.
   */
  "factor code": { limit: 20, window: day },
  "recovery code": { limit: 200, window: day },
  /** Codes that are tried for one sign-in: longer than it waits for them. */
  "sign-in step": { limit: 5, window: 60 * minute },
  /** Of a network: so many leave an entry in the audit log. */
  refusal: { limit: 500, window: day },
}

export type AttemptKind = keyof typeof allowances

/** Whom an attempt counts for: `known` if the condition holds as it is counted. */
export type Subject = string | { known: string; other: string; when: SQL }

/** Milliseconds after which no row of the table matters any more. */
export const longestWindow = day

export type Attempts = ReturnType<typeof createAttempts>

/** Counts attempts before what they attempt: a count read first would let parallel ones through. */
export function createAttempts(database: Database, keys: Keys) {
  const hash = (kind: AttemptKind, subject: string) =>
    createHmac("sha256", keys.first("attempt")).update(`${kind}\n${subject}`).digest("base64url")

  const keyOf = (kind: AttemptKind, subject: Subject) => {
    if (typeof subject === "string") return sql<string>`${hash(kind, subject)}`
    const { known, other, when } = subject
    return sql<string>`case when ${when} then ${hash(kind, known)} else ${hash(kind, other)} end`
  }

  return {
    /** Statement that counts one attempt, if the condition holds. */
    count: (kind: AttemptKind, subject: Subject, when: SQL = sql`true`) => {
      const now = new Date()
      const isOver = sql`${attempt.since} <= ${now.getTime() - allowances[kind].window}`
      return database
        .insert(attempt)
        .select(rowIf(attempt, { key: keyOf(kind, subject), count: 1, since: now }, when))
        .onConflictDoUpdate({
          target: attempt.key,
          set: {
            count: sql`case when ${isOver} then 1 else ${attempt.count} + 1 end`,
            since: sql`case when ${isOver} then ${now.getTime()} else ${attempt.since} end`,
          },
        })
        .returning({ count: attempt.count, since: attempt.since })
    },

    /** Throws, with the seconds that are left, for what `count` returned. */
    admit: (
      kind: AttemptKind,
      [row]: { count: number; since: Date }[],
      code: FailureCode = "TOO_MANY_REQUESTS",
    ) => {
      const { limit, window } = allowances[kind]
      if (row === undefined || row.count <= limit) return
      const left = Math.ceil((row.since.getTime() + window - Date.now()) / 1000)
      throw createApiError(code, { "retry-after": String(Math.max(1, left)) })
    },

    /** Condition of `count`: it would leave another one within the limit. */
    leavesOne: (kind: AttemptKind, subject: Subject) =>
      sql`not exists (select 1 from ${attempt} where ${attempt.key} = ${keyOf(kind, subject)}
        and ${attempt.since} > ${Date.now() - allowances[kind].window}
        and ${attempt.count} >= ${allowances[kind].limit - 1})`,

    /** Whether what `count` returned is the first attempt that is not let through. */
    isFirstRefused: (kind: AttemptKind, [row]: { count: number }[]) =>
      row !== undefined && row.count === allowances[kind].limit + 1,

    /** Condition of statements after `count`: it was within the limit. */
    isWithin: (kind: AttemptKind, subject: Subject) =>
      sql`(select ${attempt.count} from ${attempt} where ${attempt.key} = ${keyOf(kind, subject)}) <= ${allowances[kind].limit}`,

    /** Whether what `count` returned is an attempt within the limit. */
    admits: (kind: AttemptKind, [row]: { count: number }[]) =>
      row !== undefined && row.count <= allowances[kind].limit,

    /** Statement that forgets the attempts, if the condition holds. */
    forget: (kind: AttemptKind, subject: Subject, when?: SQL) =>
      database.delete(attempt).where(and(eq(attempt.key, keyOf(kind, subject)), when)),
  }
}
