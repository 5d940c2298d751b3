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
import { reader } from "../../session/procedures.ts"
import { OwnProfile } from "../../session/profile.ts"
import { handleOf } from "../../sign-in/passkey/credential.ts"
import { Passkey, shownOfPasskey } from "../../sign-in/passkey/passkey.rpc.ts"

export const SignInMethods = z.object({
  password: z.boolean(),
  emailCode: z.boolean(),
  providers: z.array(
    z.object({
      providerId: z.string(),
      accountId: z.string(),
      createdAt: z.date(),
    }),
  ),
  passkeys: z.array(Passkey),
  secondFactor: z
    .object({
      since: z.date(),
      totp: z.boolean(),
      recoveryCodes: z.int(),
    })
    .nullable(),
  trustedBrowsers: z.array(
    z.object({
      id: z.string(),
      userAgent: z.string(),
      createdAt: z.date(),
      expiresAt: z.date(),
    }),
  ),
})

/** Statements that read them, for `methodsOf`. */
export function selectMethods(database: Database, userId: SQL) {
  return [
    database
      .select({
        providerId: account.providerId,
        accountId: account.accountId,
        createdAt: account.createdAt,
        hasPassword: sql<number>`${isNotNull(account.password)}`,
      })
      .from(account)
      .where(eq(account.userId, userId)),
    database
      .select({ ...shownOfPasskey, credentialId: passkey.credentialId })
      .from(passkey)
      .where(eq(passkey.userId, userId)),
    database
      .select({
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

/** All that lets an account in, by what its statements have read. */
export function methodsOf(
  { emailCode }: Configuration,
  [accounts, passkeys, [factor], trustedBrowsers]: RowsOf<ReturnType<typeof selectMethods>>,
): z.infer<typeof SignInMethods> {
  return {
    password: accounts.some(
      ({ providerId, hasPassword }) => providerId === "credential" && hasPassword === 1,
    ),
    emailCode,
    providers: accounts
      .filter(({ providerId }) => providerId !== "credential")
      .map(({ providerId, accountId, createdAt }) => ({ providerId, accountId, createdAt })),
    passkeys: passkeys
      .map((row) => {
        const { credentialId: _, ...visible } = row
        return visible
      })
      .toSorted((a, b) => Number(a.createdAt) - Number(b.createdAt)),
    secondFactor: factor?.since
      ? { since: factor.since, totp: factor.totp === 1, recoveryCodes: factor.recoveryCodes }
      : null,
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

/** Events of the overview: all are in `listSecurityEvents`. */
const shownEvents = 5

const getOverview = reader
  .route({ method: "GET" })
  .output(
    z.object({
      profile: OwnProfile,
      methods: SignInMethods,
      sessions: z.array(
        z.object({
          id: z.string(),
          name: z.string().nullable(),
          device: Device,
          createdAt: z.date(),
          isCurrent: z.boolean(),
        }),
      ),
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
