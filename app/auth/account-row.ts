import type { SQL } from "drizzle-orm"

import { createId } from "../identifier.ts"

type Given = {
  userId: string | SQL
  providerId: string
  accountId: string
  issuer?: string
  /** Hash. */
  password?: string
  now: Date
}

/** A way to sign in, every column named. */
function accountRow({ issuer, password, now, ...given }: Given) {
  return {
    ...given,
    id: createId("account"),
    issuer: issuer ?? null,
    password: password ?? null,
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

/** What a provider says of a user: nothing uses its tokens, so none is stored. */
export function identityRow(given: Given & { issuer: string }) {
  return accountRow(given)
}

export function credentialRow({
  userId,
  password,
  now,
}: {
  userId: string
  password: string
  now: Date
}) {
  return accountRow({ userId, providerId: "credential", accountId: userId, password, now })
}
