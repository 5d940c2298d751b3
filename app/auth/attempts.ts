import { createHmac } from "node:crypto"

import { eq, sql, type SQL } from "drizzle-orm"

import { rowIf } from "../conditional-row.ts"
import type { Database } from "../database.ts"
import { createApiError } from "./api-error.ts"
import { attempt } from "./attempt.table.ts"
import type { Keys } from "./keys.ts"

const minute = 60 * 1000

/** How many attempts of a kind are let through, in a window of milliseconds from the first. */
const allowances = {
  /** Sign-ins with an address from browsers that have not signed in with it before. */
  "sign-in": { limit: 10, window: 15 * minute },
  /** The same from one browser that has. */
  "known-browser": { limit: 10, window: 15 * minute },
  /** The current password of a signed-in user. */
  password: { limit: 10, window: 15 * minute },
  email: { limit: 3, window: 60 * minute },
}

export type AttemptKind = keyof typeof allowances

/** Milliseconds after which no row of the table matters any more. */
export const longestWindow = 60 * minute

export type Attempts = ReturnType<typeof createAttempts>

/** Counts attempts before what they attempt: a count read first would let parallel ones through. */
export function createAttempts(database: Database, keys: Keys) {
  const keyOf = (kind: AttemptKind, subject: string) =>
    createHmac("sha256", keys.first("attempt")).update(`${kind}\n${subject}`).digest("base64url")

  return {
    keyOf,

    /** Statement that counts one attempt, if the condition holds. */
    count: (kind: AttemptKind, subject: string, when: SQL = sql`true`) => {
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

    /** Throws TOO_MANY_ATTEMPTS, with the seconds that are left, for what `count` returned. */
    admit: (kind: AttemptKind, [row]: { count: number; since: Date }[]) => {
      const { limit, window } = allowances[kind]
      if (row === undefined || row.count <= limit) return
      const left = Math.ceil((row.since.getTime() + window - Date.now()) / 1000)
      throw createApiError("TOO_MANY_ATTEMPTS", { "retry-after": String(Math.max(1, left)) })
    },

    /** Condition of `count`: it would leave another one within the limit. */
    leavesOne: (kind: AttemptKind, subject: string) =>
      sql`not exists (select 1 from ${attempt} where ${attempt.key} = ${keyOf(kind, subject)}
        and ${attempt.since} > ${Date.now() - allowances[kind].window}
        and ${attempt.count} >= ${allowances[kind].limit - 1})`,

    /** Whether what `count` returned is the first attempt that is not let through. */
    isFirstRefused: (kind: AttemptKind, [row]: { count: number }[]) =>
      row !== undefined && row.count === allowances[kind].limit + 1,

    /** Condition of statements after `count`: it was within the limit. */
    isWithin: (kind: AttemptKind, subject: string) =>
      sql`(select ${attempt.count} from ${attempt} where ${attempt.key} = ${keyOf(kind, subject)}) <= ${allowances[kind].limit}`,

    /** Whether what `count` returned is an attempt within the limit. */
    admits: (kind: AttemptKind, [row]: { count: number }[]) =>
      row !== undefined && row.count <= allowances[kind].limit,

    /** Statement that forgets the attempts. */
    forget: (kind: AttemptKind, subject: string) =>
      database.delete(attempt).where(eq(attempt.key, keyOf(kind, subject))),
  }
}
