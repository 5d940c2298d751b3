import { createHmac } from "node:crypto"

import { and, eq, sql, type SQL } from "drizzle-orm"

import type { Keys } from "../platform/configuration/keys.ts"
import { attempt } from "../platform/database/auth.table.ts"
import type { Database } from "../platform/database/database.ts"
import { createApiError, type FailureCode } from "../platform/http/failure.ts"
import { networksOf } from "./rate-limit.ts"

const minute = 60 * 1000
const hour = 60 * minute
const day = 24 * hour

type Allowance = {
  limit: number
  /** Length of the window in milliseconds, from the first attempt. */
  window: number
  /** Milliseconds between two attempts after the limit is used up. Attempts slow down, but never stop. */
  pause?: number
  /**
   * Counts each subject in its own row. The subject must have proven something, so that strangers cannot add
   * rows.
   */
  isExact?: true
}

/** Limits of attempts by kind. */
const kinds = {
  /** Sign-ins to an address. Each known browser has its own count; all other browsers share one. */
  "sign-in": { limit: 10, window: 15 * minute },
  password: { limit: 10, window: 15 * minute },
  /** Single-use values such as challenges. The window is longer than the lifetime of each value. */
  once: { limit: 1, window: hour, isExact: true },
  /** Emails to an address. Each known browser has its own count; all other browsers share one. */
  email: { limit: 4, window: hour, pause: 10 * minute },
  /**
   * Emails with a sign-in code. Their limit is visible to callers, so they share no count with other emails.
   */
  "code email": { limit: 4, window: hour, pause: 10 * minute },
  /** Emails of any kind to an address. Known browsers share one count, all other browsers another. */
  "all emails": { limit: 20, window: day, pause: hour },
  /** Emails of any kind to an address from one network: fewer than to the address, so no stranger uses those up. */
  "network emails": { limit: 8, window: day, pause: 2 * hour },
  /**
   * Accounts created from one network, by any method. The owner of a domain has unlimited addresses, and created
   * accounts stay.
   */
  "sign-up": { limit: 100, window: day, pause: 30 * minute },
  /** Accounts that give up an address, by deletion or address change. Their remaining rows stay for years. */
  leaving: { limit: 1, window: day },
  /** Codes that a member requests, to verify another address or to step up. */
  address: { limit: 10, window: day },
  "address code": { limit: 5, window: hour },
  /** Sign-in code emails that unknown browsers of one network request, for any addresses. */
  "code network": { limit: 500, window: day, pause: 10 * minute },
  /** Attempts at one emailed sign-in code. */
  "sign-in code": { limit: 5, window: hour },
  /**
   * Attempts at the codes of an authenticator app; known browsers and all others have separate counts. Three of a
   * million codes are valid at any time. Recovery codes (80 bits) have their own limit, so an owner who is locked out
   * of app codes can still use one.
   */
  "factor code": { limit: 20, window: day },
  "recovery code": { limit: 200, window: day },
  /** Codes tried in one sign-in step. The window is longer than the lifetime of the step. */
  "sign-in step": { limit: 5, window: hour },
  /** Denied attempts from one network that are written to the audit log. */
  refusal: { limit: 500, window: day },
} satisfies Record<string, Allowance>

export type AttemptKind = keyof typeof kinds

export const allowances: Record<AttemptKind, Allowance> = kinds

/**
 * Number of rows per kind and class, however many subjects there are. Subjects that hash to the same row share its
 * limit.
 */
export const slots = 2 ** 14

/** Fraction of the limit by class of subject. Each class has its own rows. */
const shares = { known: 1, "no account": 1, "/56": 0.5, nowhere: Infinity }

export type Counted = { name: string; as?: keyof typeof shares }

/**
 * Subject of an attempt; an array counts the attempt for each of them. `known` applies if `when` is true at counting
 * time, otherwise `other`. A null `known` counts nothing.
 */
export type Subject =
  | string
  | Counted
  | Counted[]
  | { known: string | Counted | null; other: Subject; when: SQL }

/** Returns the subjects for a client's networks. A household (IPv6 /56) has half the limit of its site (/48). */
export function networkSubject(headers: Headers | undefined): Counted[] {
  const networks = networksOf(headers ?? new Headers())
  if (networks === undefined) return [{ name: "", as: "nowhere" }]
  const { site, household } = networks
  return [{ name: site }, ...(household ? [{ name: household, as: "/56" } as const] : [])]
}

type Attempt = { kind: AttemptKind; subject: Subject; when?: SQL | undefined }

/** Milliseconds after which a row no longer affects any limit. */
export const longestWindow = day

export type Attempts = ReturnType<typeof createAttempts>

type Row = { key: string; count: number; since: Date }

/** Limit for subjects that are never rejected. */
const endless = 2 ** 52

function limitIn(kind: AttemptKind, as = "") {
  const [, share = 1] = Object.entries(shares).find(([name]) => name === as) ?? []
  return Math.min(allowances[kind].limit * share, endless)
}

/** Returns, for each row of a kind, its start (Unix time, ms) and its attempts above the limit, negative below it. */
function excessOf(kind: AttemptKind, rows: Row[]) {
  const ofKind = rows.filter(({ key }) => key.startsWith(`${kind}:`))
  return ofKind.map(({ key, count, since }) => ({
    since: since.getTime(),
    excess: count - limitIn(kind, key.split(":")[1]),
  }))
}

/** Counts each attempt before it is made. Reading the count first would admit parallel attempts. */
export function createAttempts(database: Database, keys: Keys) {
  const rowOf = (kind: AttemptKind, subject: string | Counted) => {
    const { name, as }: Counted = typeof subject === "string" ? { name: subject } : subject
    const hash = createHmac("sha256", keys.first("attempt")).update(`${kind}\n${name}`).digest()
    const { isExact } = allowances[kind]
    const slot = isExact ? hash.toString("base64url", 0, 24) : hash.readUInt32BE() % slots
    const key = `${kind}:${as ?? ""}:${slot}`
    return { key: sql`${key}`, limit: limitIn(kind, as) }
  }

  /** Returns the key and limit of each row that counts an attempt. A null key counts nothing. */
  const rowsOf = (kind: AttemptKind, subject: Subject): ReturnType<typeof rowOf>[] => {
    if (Array.isArray(subject)) return subject.map((part) => rowOf(kind, part))
    if (typeof subject === "string" || "name" in subject) return [rowOf(kind, subject)]
    const { known, when } = subject
    const key = known === null ? sql`null` : rowOf(kind, browserOf(known)).key
    return rowsOf(kind, subject.other).map((row) => ({
      key: sql`case when ${when} then ${key} else ${row.key} end`,
      limit: row.limit,
    }))
  }

  /**
   * Returns the statement that counts the attempts whose conditions are true. If any is over its limit, only the
   * attempts over their limits are counted.
   */
  const countAll = (attempts: Attempt[]) => {
    const now = Date.now()
    const rows = attempts.flatMap(({ kind, subject, when = sql`true` }) => {
      const { window, pause = null } = allowances[kind]
      return rowsOf(kind, subject).map(
        ({ key, limit }) =>
          sql`select ${key}, ${sql.raw(`${limit}, ${window}, ${pause}`)} where ${when}`,
      )
    })
    return database
      .insert(attempt)
      .select(
        sql`with asked (slot, most, span, pause) as (${sql.join(rows, sql` union all `)}),
          state as (select slot, most, pause, count, since,
            coalesce(since <= ${now} - span, true) as is_new,
            coalesce(count >= most and since <= ${now} - pause, false) as is_late
            from asked left join ${attempt} on key = slot where slot is not null),
          verdict as (select *, is_new or is_late or count < most as is_free from state)
        select slot, case when is_new then 1 when is_late then most else count + 1 end,
          case when is_new or is_late or (pause is not null and count = most - 1) then ${now} else since end
          from verdict where not is_free or (select min(is_free) from verdict)`,
      )
      .onConflictDoUpdate({
        target: attempt.key,
        set: { count: sql`excluded.count`, since: sql`excluded.since` },
      })
      .returning()
  }

  /** Condition for statements that run after `count`: the attempt was within the limit. */
  const isWithin = (kind: AttemptKind, subject: Subject): SQL => {
    if (typeof subject === "object" && "known" in subject && subject.known === null) {
      return sql`(${subject.when} or ${isWithin(kind, subject.other)})`
    }
    const each = rowsOf(kind, subject).map(
      ({ key, limit }) =>
        sql`(select count from ${attempt} where key = ${key}) <= ${sql.raw(`${limit}`)}`,
    )
    return sql`(${sql.join(each, sql` and `)})`
  }

  return {
    countAll,

    count: (kind: AttemptKind, subject: Subject, when?: SQL) => countAll([{ kind, subject, when }]),

    /** Throws if the rows that `count` returned are over the limit. `retry-after` is in seconds. */
    admit: (kind: AttemptKind, rows: Row[], code: FailureCode = "TOO_MANY_REQUESTS") => {
      const { window, pause = window } = allowances[kind]
      const over = excessOf(kind, rows).filter(({ excess }) => excess > 0)
      if (over.length === 0) return
      const until = Math.max(...over.map(({ since }) => since)) + pause
      const remaining = Math.ceil((until - Date.now()) / 1000)
      throw createApiError(code, { "retry-after": String(Math.max(1, remaining)) })
    },

    /** Whether the rows that `count` returned record the first rejected attempt. */
    isFirstRefused: (kind: AttemptKind, rows: Row[]) =>
      excessOf(kind, rows).some(({ excess }) => excess === 1),

    isWithin,

    /**
     * Returns the statement that reads the counts of unknown browsers for a name. `read` returns each limit that is
     * used up, and when it ends.
     */
    locksOf: <Kind extends AttemptKind>(of: Kind[], name: string) => ({
      rows: database
        .select()
        .from(attempt)
        .where(
          sql`${attempt.key} in (${sql.join(
            of.map((kind) => rowOf(kind, name).key),
            sql`, `,
          )})`,
        ),
      read: (rows: Row[]) =>
        of.flatMap((kind) => {
          const row = excessOf(kind, rows).find(({ excess }) => excess >= 0)
          const { window, pause = window } = allowances[kind]
          const until = (row?.since ?? 0) + pause
          return until > Date.now() ? [{ kind, until: new Date(until) }] : []
        }),
    }),

    /** Whether the rows that `count` returned are within the limit. False if nothing was counted. */
    admits: (kind: AttemptKind, rows: Row[]) =>
      rows.length > 0 && excessOf(kind, rows).every(({ excess }) => excess <= 0),

    /**
     * Returns the statement that takes back a successful attempt if the condition is true; a known browser's count
     * becomes 0. The count of unknown browsers is only reduced by one, because it includes strangers' attempts.
     */
    takeBack: (kind: AttemptKind, subject: Subject, when?: SQL) => {
      const [row] = rowsOf(kind, subject)
      const isKnown = typeof subject === "object" && "known" in subject ? subject.when : sql`false`
      return database
        .update(attempt)
        .set({ count: sql`case when ${isKnown} then 0 else max(0, ${attempt.count} - 1) end` })
        .where(and(eq(attempt.key, sql`${row?.key ?? null}`), when))
    },

    forget: (kind: AttemptKind, name: string) =>
      database.delete(attempt).where(eq(attempt.key, rowOf(kind, name).key)),
  }
}

function browserOf(subject: string | Counted): Counted {
  return typeof subject === "string" ? { name: subject, as: "known" } : subject
}
