import { createId } from "../../identifier.ts"

type Credential = {
  userId: string
  /** Hash. */
  password: string
  now: Date
}

/** The account of a user who signs in with a password, every column named. */
export function credentialRow({ userId, password, now }: Credential) {
  return {
    id: createId("account"),
    userId,
    providerId: "credential",
    accountId: userId,
    password,
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
