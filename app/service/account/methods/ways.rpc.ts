import { and, desc, eq, gt, isNotNull, type SQL, sql } from "drizzle-orm"
import * as z from "zod"

import { auditEntry } from "../../platform/audit/audit-entry.table.ts"
import {
  computedOfOwnEvent,
  eventColumns,
  SecurityEvent,
} from "../../platform/audit/audit-event.ts"
import type { Configuration } from "../../platform/configuration/configuration.ts"
import {
  account,
  passkey,
  recoveryCode,
  secondFactor,
  session,
  trustedBrowser,
  user,
} from "../../platform/database/auth.table.ts"
import type { Database } from "../../platform/database/database.ts"
import { Device, deviceOf } from "../../platform/http/device.ts"
import { listedValue } from "../../platform/rpc/fields.ts"
import { requiresFactor } from "../../session/assurance/assurance.ts"
import { isOfferedBy } from "../../session/assurance/authenticators.ts"
import { reader } from "../../session/procedures.ts"
import { OwnProfile } from "../../session/profile.ts"
import { handleOf } from "../../sign-in/passkey/credential.ts"
import { Passkey, shownOfPasskey } from "../../sign-in/passkey/passkey.rpc.ts"

const removals = ["allowed", "last_method", "required_factor"] as const

type Removal = (typeof removals)[number]

const Removal = listedValue(removals)

export const SignInMethods = z.object({
  password: z.boolean(),
  passwordChangedAt: z.date().nullable(),
  passwordRemoval: Removal.nullable(),
  emailCode: z.boolean(),
  providers: z.array(
    z.object({
      providerId: z.string(),
      accountId: z.string(),
      createdAt: z.date(),
      removal: Removal,
    }),
  ),
  passkeys: z.array(Passkey.extend({ removal: Removal })),
  secondFactor: z
    .object({
      since: z.date(),
      totp: z.boolean(),
      recoveryCodes: z.int(),
    })
    .nullable(),
  secondFactorRequired: z.boolean(),
  trustedBrowsers: z.array(
    z.object({
      id: z.string(),
      userAgent: z.string(),
      createdAt: z.date(),
      expiresAt: z.date(),
    }),
  ),
})

/**
 * Changing the address also updates the row, to invalidate marks in browsers. Its audit entry is in the same batch, so
 * their times differ by less than a second.
 */
const passwordChangedAt = sql<Date | null>`case when not exists (select 1 from ${auditEntry}
  where ${auditEntry.subjectId} = ${account.userId} and +${auditEntry.action} = 'change_email' and
  ${auditEntry.createdAt} between ${account.updatedAt} - 1000 and ${account.updatedAt} + 1000)
  then ${account.updatedAt} end`.mapWith(account.updatedAt)

/** Returns the statements that read the sign-in methods, for `methodsOf`. */
export function selectMethods(database: Database, userId: SQL) {
  return [
    database
      .select({
        providerId: account.providerId,
        accountId: account.accountId,
        createdAt: account.createdAt,
        hasPassword: sql<number>`${isNotNull(account.password)}`,
        passwordChangedAt: passwordChangedAt.as("password_changed_at"),
      })
      .from(account)
      .where(eq(account.userId, userId)),
    database
      .select({ ...shownOfPasskey, credentialId: passkey.credentialId })
      .from(passkey)
      .where(eq(passkey.userId, userId)),
    database
      .select({
        role: user.role,
        since: user.secondFactorSince,
        totp: sql<number>`exists (select 1 from ${secondFactor}
          where ${secondFactor.userId} = ${user.id} and ${isNotNull(secondFactor.confirmedAt)})`,
        recoveryCodes: sql<number>`(select count(*) from ${recoveryCode}
          where ${recoveryCode.userId} = ${user.id})`,
      })
      .from(user)
      .where(eq(user.id, userId)),
    database
      .select({
        id: trustedBrowser.hash,
        userAgent: trustedBrowser.userAgent,
        createdAt: trustedBrowser.createdAt,
        expiresAt: trustedBrowser.expiresAt,
      })
      .from(trustedBrowser)
      .where(eq(trustedBrowser.userId, userId)),
  ] as const
}

type RowsOf<Statements extends readonly unknown[]> = {
  [At in keyof Statements]: Awaited<Statements[At]>
}

/** Returns the sign-in methods of an account from the results of its statements. */
export function methodsOf(
  configuration: Configuration,
  [accounts, passkeys, [owner], trustedBrowsers]: RowsOf<ReturnType<typeof selectMethods>>,
): z.infer<typeof SignInMethods> {
  const { emailCode } = configuration
  const isOffered = (providerId: string) => isOfferedBy(configuration, providerId)
  const offered = accounts.filter(({ providerId }) => isOffered(providerId)).length
  const offeredPasskeys = configuration.passkeys === undefined ? 0 : passkeys.length
  // Same conditions as `hasOtherMethod`.
  const removalOf = (isCounted: boolean): Removal =>
    emailCode || offered + offeredPasskeys > Number(isCounted) ? "allowed" : "last_method"
  const secondFactorRequired = owner !== undefined && requiresFactor(configuration, owner.role)
  const isOnlyFactor = secondFactorRequired && !owner.since && passkeys.length === 1
  const passkeyRemoval = removalOf(offeredPasskeys > 0)
  const credential = accounts.find(
    ({ providerId, hasPassword }) => providerId === "credential" && hasPassword === 1,
  )
  return {
    password: credential !== undefined,
    passwordChangedAt: credential?.passwordChangedAt ?? null,
    passwordRemoval: credential ? removalOf(isOffered("credential")) : null,
    emailCode,
    providers: accounts
      .filter(({ providerId }) => providerId !== "credential")
      .map(({ providerId, accountId, createdAt }) => ({
        providerId,
        accountId,
        createdAt,
        removal: removalOf(isOffered(providerId)),
      })),
    passkeys: passkeys
      .map((row) => {
        const { credentialId: _, ...visible } = row
        const removal =
          isOnlyFactor && passkeyRemoval === "allowed" ? "required_factor" : passkeyRemoval
        return { ...visible, removal }
      })
      .toSorted((a, b) => Number(a.createdAt) - Number(b.createdAt)),
    secondFactor: owner?.since
      ? { since: owner.since, totp: owner.totp === 1, recoveryCodes: owner.recoveryCodes }
      : null,
    secondFactorRequired,
    trustedBrowsers,
  }
}

const listWays = reader
  .route({ method: "GET" })
  .output(
    SignInMethods.extend({
      acceptedPasskeys: z
        .object({
          rpId: z.string(),
          userId: z.string(),
          allAcceptedCredentialIds: z.array(z.string()),
        })
        .nullable(),
    }),
  )
  .handler(async ({ context }) => {
    const { database, configuration } = context.services
    const { caller, results } = await context.ask((callerId) => [
      ...selectMethods(database, callerId),
    ])
    const [, passkeys] = results
    return {
      ...methodsOf(configuration, results),
      acceptedPasskeys: configuration.passkeys
        ? {
            rpId: configuration.passkeys.rpId,
            userId: handleOf(caller.id),
            allAcceptedCredentialIds: passkeys.map(({ credentialId }) => credentialId),
          }
        : null,
    }
  })

/** A session as a list of devices shows it. */
export const ListedSession = z.object({
  id: z.string(),
  name: z.string().nullable(),
  device: Device,
  createdAt: z.date(),
})

/** Number of events in the overview; `listSecurityEvents` returns all. */
const shownEvents = 5

const getOverview = reader
  .route({ method: "GET" })
  .output(
    z.object({
      profile: OwnProfile,
      methods: SignInMethods,
      sessions: z.array(ListedSession.extend({ isCurrent: z.boolean() })),
      events: z.array(SecurityEvent),
    }),
  )
  .handler(async ({ context }) => {
    const { database, configuration, sessions } = context.services
    const { caller, results } = await context.ask((callerId) => [
      database
        .select()
        .from(session)
        .where(and(eq(session.userId, callerId), gt(session.expiresAt, new Date())))
        .orderBy(desc(session.createdAt)),
      database
        .select({ ...eventColumns, ...computedOfOwnEvent })
        .from(auditEntry)
        .where(eq(auditEntry.subjectId, callerId))
        .orderBy(desc(auditEntry.createdAt), desc(auditEntry.id))
        .limit(shownEvents),
      ...selectMethods(database, callerId),
    ])
    const [open, events, ...methodRows] = results
    const token = sessions.tokenOf(context.headers)
    return {
      profile: caller,
      methods: methodsOf(configuration, methodRows),
      sessions: open.map(({ id, name, userAgent, createdAt, ...rest }) => ({
        id,
        name,
        device: deviceOf(userAgent),
        createdAt,
        isCurrent: rest.token === token,
      })),
      events,
    }
  })

export const ways = { listWays, getOverview }
