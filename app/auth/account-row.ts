import type { SQL } from "drizzle-orm"

import { createId } from "../identifier.ts"

type Given = { userId: string | SQL; providerId: string; accountId: string; now: Date }

/** A way to sign in, every column named. Nothing uses a provider's tokens, so none is stored. */
function accountRow({ now, ...given }: Given, proof: { issuer: string } | { password: string }) {
  return {
    id: createId("account"),
    ...given,
    issuer: "issuer" in proof ? proof.issuer : null,
    password: "password" in proof ? proof.password : null,
    accessToken: null,
    accessTokenExpiresAt: null,
    refreshToken: null,
    refreshTokenExpiresAt: null,
    idToken: null,
    scope: null,
    createdAt: now,
    updatedAt: now,
  }
}

export function identityRow({ issuer, ...given }: Given & { issuer: string }) {
  return accountRow(given, { issuer })
}

/** @param given the password as a hash */
export function credentialRow(given: { userId: string; password: string; now: Date }) {
  const { userId, password, now } = given
  return accountRow({ userId, providerId: "credential", accountId: userId, now }, { password })
}
