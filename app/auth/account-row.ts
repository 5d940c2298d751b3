import { createId } from "../identifier.ts"

/** A new way to sign in. Nothing uses a provider's tokens, so none is stored. */
export function accountRow<Given>(given: Given) {
  const now = new Date()
  return { id: createId("account"), ...given, createdAt: now, updatedAt: now }
}

/** @param password as a hash */
export function credentialRow(userId: string, password: string) {
  return accountRow({ userId, providerId: "credential", accountId: userId, password })
}
