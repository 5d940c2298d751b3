import { eq, isNotNull, sql } from "drizzle-orm"
import * as z from "zod"

import { reader } from "../rpc/procedures.ts"
import { account, passkey, recoveryCode, secondFactor, trustedBrowser, user } from "./auth.table.ts"
import { Passkey, shownOfPasskey } from "./passkey/passkey.rpc.ts"

const Ways = z.object({
  password: z.boolean(),
  emailCode: z.boolean().describe("Whether a code that is sent to your address lets you in"),
  providers: z.array(
    z.object({
      providerId: z.string(),
      accountId: z.string().describe("Your id at the provider"),
      createdAt: z.date(),
    }),
  ),
  passkeys: z.array(Passkey).describe("The oldest first"),
  secondFactor: z
    .object({
      since: z.date(),
      totp: z.boolean().describe("Whether an app shows codes"),
      recoveryCodes: z.int().describe("How many are left"),
    })
    .nullable()
    .describe("Null: a sign-in asks for none"),
  trustedBrowsers: z.array(
    z.object({
      id: z.string(),
      userAgent: z.string(),
      createdAt: z.date(),
      expiresAt: z.date(),
    }),
  ),
})

const listWays = reader
  .route({
    method: "GET",
    summary: "List all that lets you in",
    description: "Also what the environment does not offer now.",
  })
  .output(Ways)
  .handler(async ({ context }) => {
    const { database, configuration } = context.services
    const {
      results: [accounts, passkeys, factors, trustedBrowsers],
    } = await context.ask((callerId) => [
      database
        .select({
          providerId: account.providerId,
          accountId: account.accountId,
          createdAt: account.createdAt,
          hasPassword: sql<number>`${isNotNull(account.password)}`,
        })
        .from(account)
        .where(eq(account.userId, callerId)),
      database.select(shownOfPasskey).from(passkey).where(eq(passkey.userId, callerId)),
      database
        .select({
          since: user.secondFactorSince,
          totp: sql<number>`exists (select 1 from ${secondFactor}
            where ${secondFactor.userId} = ${user.id} and ${isNotNull(secondFactor.confirmedAt)})`,
          recoveryCodes: sql<number>`(select count(*) from ${recoveryCode}
            where ${recoveryCode.userId} = ${user.id})`,
        })
        .from(user)
        .where(eq(user.id, callerId)),
      database
        .select({
          id: trustedBrowser.hash,
          userAgent: trustedBrowser.userAgent,
          createdAt: trustedBrowser.createdAt,
          expiresAt: trustedBrowser.expiresAt,
        })
        .from(trustedBrowser)
        .where(eq(trustedBrowser.userId, callerId)),
    ])
    const [factor] = factors
    return {
      password: accounts.some(
        ({ providerId, hasPassword }) => providerId === "credential" && hasPassword === 1,
      ),
      emailCode: configuration.emailCode,
      providers: accounts
        .filter(({ providerId }) => providerId !== "credential")
        .map(({ providerId, accountId, createdAt }) => ({ providerId, accountId, createdAt })),
      passkeys: passkeys.toSorted((one, other) => Number(one.createdAt) - Number(other.createdAt)),
      secondFactor: factor?.since
        ? { since: factor.since, totp: factor.totp === 1, recoveryCodes: factor.recoveryCodes }
        : null,
      trustedBrowsers,
    }
  })

export const ways = { listWays }
