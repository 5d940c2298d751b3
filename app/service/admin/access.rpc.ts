import { and, desc, eq, gt, sql, type SQLWrapper } from "drizzle-orm"
import * as z from "zod"

import {
  ListedSession,
  methodsOf,
  SignInMethods,
  selectMethods,
} from "../account/methods/ways.rpc.ts"
import { auditEntry } from "../platform/audit/audit-entry.table.ts"
import { Event, eventColumns } from "../platform/audit/audit-event.ts"
import { audit } from "../platform/audit/audit.ts"
import type { Configuration } from "../platform/configuration/configuration.ts"
import { session, user } from "../platform/database/auth.table.ts"
import { deviceOf } from "../platform/http/device.ts"
import { isOfferedBy } from "../session/assurance/authenticators.ts"
import { isAdmin, provenAdminReader } from "../session/procedures.ts"
import { ListedUser, withPlanOf } from "../session/profile.ts"
import { ByUser, listedColumns, mayActOn, mayNotActOn, notFound } from "./act.ts"

/** Must equal the condition of the partial index. */
function isSignInOf(subjectId: SQLWrapper) {
  return sql`${auditEntry.subjectId} = ${subjectId} and action = 'sign_in'`
}

/** Column for queries of `user`: the time of the last sign-in in the log. */
export const lastSignInAt = sql<Date | null>`(select max(${auditEntry.createdAt})
  from ${auditEntry} where ${isSignInOf(user.id)})`
  .mapWith(auditEntry.createdAt)
  .as("last_sign_in_at")

/**
 * Limits for the newest events. Views by admins are left out, because they do not explain why a member cannot sign in.
 */
const newestEvents = 50
const shownEvents = 10
const looks = new Set(["read_member", "list_audit_entries"])

const reasons = ["deleted", "suspended", "unverified", "no_method", "no_factor", "locked"] as const

const locked = {
  "sign-in": "password",
  "factor code": "code",
  "recovery code": "recovery",
} as const

const MemberAccess = z.object({
  profile: ListedUser,
  verdict: z.object({
    canSignIn: z.boolean(),
    reasons: z.array(z.enum(reasons)),
  }),
  methods: SignInMethods,
  sessions: z.array(ListedSession.extend({ expiresAt: z.date() })),
  locks: z.array(z.object({ of: z.enum(Object.values(locked)), until: z.date() })),
  lastSignIn: Event.pick({ method: true, factor: true, device: true })
    .extend({ at: z.date() })
    .nullable(),
  events: z.array(Event),
})

type Access = z.infer<typeof MemberAccess>

function reasonsOf(
  configuration: Configuration,
  { profile, methods, locks }: Pick<Access, "profile" | "methods" | "locks">,
) {
  const { passkeys, verifyEmail, emailCode } = configuration
  const hasPasskey = passkeys !== undefined && methods.passkeys.length > 0
  const has = [
    methods.password && isOfferedBy(configuration, "credential"),
    emailCode,
    hasPasskey,
    methods.providers.some(({ providerId }) => isOfferedBy(configuration, providerId)),
  ]
  const factor = methods.secondFactor
  const is: Record<(typeof reasons)[number], boolean> = {
    deleted: profile.deleteAt !== null,
    suspended: profile.suspendedAt !== null,
    unverified: verifyEmail && !profile.emailVerified,
    no_method: !has.includes(true),
    no_factor: factor !== null && !factor.totp && factor.recoveryCodes === 0 && !hasPasskey,
    locked: locks.length > 0,
  }
  return reasons.filter((reason) => is[reason])
}

export const getMemberAccess = provenAdminReader
  .route({ method: "GET" })
  .errors(notFound)
  .input(ByUser)
  .output(MemberAccess)
  .handler(async ({ context, input: { userId }, errors }) => {
    const { database, configuration, attempts } = context.services
    const { caller, results } = await context.ask((actorId) => {
      const subjectId = sql<string>`(select id from user where id = ${userId} and ${mayActOn(actorId, userId)})`
      return [
        database
          .select({ ...listedColumns, lastSignInAt })
          .from(user)
          .where(and(eq(user.id, userId), isAdmin(actorId))),
        database
          .select()
          .from(session)
          .where(and(eq(session.userId, subjectId), gt(session.expiresAt, new Date())))
          .orderBy(desc(session.createdAt)),
        database
          .select(eventColumns)
          .from(auditEntry)
          .where(eq(auditEntry.subjectId, subjectId))
          .orderBy(desc(auditEntry.createdAt), desc(auditEntry.id))
          .limit(newestEvents),
        database
          .select(eventColumns)
          .from(auditEntry)
          .where(isSignInOf(subjectId))
          .orderBy(desc(auditEntry.createdAt))
          .limit(1),
        ...selectMethods(database, subjectId),
      ]
    })
    const [[member], sessions, events, [logged], ...methodRows] = results
    if (member === undefined) throw errors.NOT_FOUND()
    const counts = attempts.locksOf(["sign-in", "factor code", "recovery code"], member.email)
    // Runs last, so that an earlier failure leaves no audit entry.
    const [entries, rows] = await database.batch([
      audit({
        database,
        actorId: caller.id,
        action: "read_member",
        subjectId: userId,
        when: mayActOn(caller.id, userId),
      }),
      counts.rows,
    ])
    if (entries.length === 0) throw errors.FORBIDDEN({ message: mayNotActOn })
    const profile = withPlanOf(member)
    const methods = methodsOf(configuration, methodRows)
    const locks = counts.read(rows).map(({ kind, until }) => ({ of: locked[kind], until }))
    const reasonsFound = reasonsOf(configuration, { profile, methods, locks })
    // A sign-up also opens a session, and the log has only the first twenty sign-ins of a day.
    const [newest] = sessions
    const isLater = newest !== undefined && newest.createdAt > (logged?.createdAt ?? new Date(0))
    return {
      profile,
      verdict: {
        canSignIn: reasonsFound.every((reason) => reason === "locked"),
        reasons: reasonsFound,
      },
      methods,
      sessions: sessions.map(({ id, name, userAgent, createdAt, expiresAt }) => ({
        id,
        name,
        device: deviceOf(userAgent),
        createdAt,
        expiresAt,
      })),
      locks,
      lastSignIn: isLater
        ? {
            at: newest.createdAt,
            method: null,
            factor: newest.factor,
            device: deviceOf(newest.userAgent),
          }
        : logged
          ? {
              at: logged.createdAt,
              method: logged.method,
              factor: logged.factor,
              device: logged.device,
            }
          : null,
      events: events.filter(({ action }) => !looks.has(action)).slice(0, shownEvents),
    }
  })
