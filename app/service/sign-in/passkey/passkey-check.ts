import { and, eq, sql } from "drizzle-orm"
import * as z from "zod"

import type { Keys } from "../../platform/configuration/keys.ts"
import { type EndpointContext, sealedCookie } from "../../platform/cookie/host-cookie.ts"
import { passkey, user } from "../../platform/database/auth.table.ts"
import { createApiError } from "../../platform/http/failure.ts"
import { sessionUserColumns } from "../../session/caller.ts"
import type { Dependencies } from "../../session/endpoint.ts"
import { suspension } from "../../session/session-opening.ts"
import { type Assertion, handleOf, type Purpose, purposes } from "./credential.ts"

type Known = Pick<Dependencies, "configuration" | "database" | "attempts">

/**
 * Checks an assertion for the browser's challenge, in one query. The caller's writes must depend on `when`, in a batch
 * that begins with `spends` and ends with `used`, so that an assertion works once.
 * @throws PASSKEY_REFUSED; for an unknown passkey, its data lets the browser delete the passkey
 */
export async function checkPasskey(
  context: EndpointContext,
  { configuration, database, attempts }: Known,
  { purpose, assertion }: { purpose: Purpose; assertion: Assertion },
) {
  const { passkeys, keys } = configuration
  if (passkeys === undefined) throw createApiError("PASSKEYS_OFF")
  const challenge = await readChallenge(context, keys, purpose)
  if (challenge === undefined) throw createApiError("PASSKEY_REFUSED")
  const [row] = await database
    .select({
      owner: {
        ...sessionUserColumns,
        unprovenSince: user.unprovenSince,
        suspension,
      },
      id: passkey.id,
      credentialId: passkey.credentialId,
      publicKey: passkey.publicKey,
      count: passkey.count,
    })
    .from(passkey)
    .innerJoin(user, eq(user.id, passkey.userId))
    .where(eq(passkey.credentialId, assertion.id))
  if (row === undefined) {
    // Never for a known passkey: the authenticator would delete it.
    const unknownCredential = { rpId: passkeys.rpId, credentialId: assertion.id }
    throw createApiError("PASSKEY_REFUSED", undefined, { unknownCredential })
  }
  const { verifyAssertion } = await import("./web-authentication.ts")
  const answer = await verifyAssertion(assertion, { ...passkeys, ...challenge }, row)
  const isTheirs = assertion.response.userHandle === handleOf(row.owner.id)
  if (answer === undefined || !isTheirs) throw createApiError("PASSKEY_REFUSED")
  const { newCounter: count, credentialBackedUp: backedUp } = answer
  // A copied passkey has an older counter.
  const isNewer = sql`(${passkey.count} < ${count} or (${passkey.count} = 0 and ${count} = 0))`
  const isSame = and(eq(passkey.id, row.id), eq(passkey.userId, row.owner.id), isNewer)
  const when = sql`${attempts.isWithin("once", challenge.challenge)}
    and exists (select 1 from ${passkey} where ${isSame})`
  return {
    owner: row.owner,
    when,
    spends: { spent: attempts.count("once", challenge.challenge) },
    used: {
      used: database
        .update(passkey)
        .set({ count, backedUp, usedAt: new Date() })
        .where(and(isSame, when)),
    },
  }
}

const Challenge = z.object({
  challenge: z.string(),
  for: z.enum(purposes),
  /** Id of the member who adds a passkey. */
  userId: z.string().optional(),
})

type Asked = Omit<z.infer<typeof Challenge>, "challenge">

const cookie = sealedCookie("passkey_challenge", Challenge)

/** Creates a challenge and seals it in a cookie, so that an unauthenticated request writes no row. */
export async function sealChallenge(context: EndpointContext, keys: Keys, content: Asked) {
  const challenge = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url")
  await cookie.write(context, keys, { ...content, challenge })
  return challenge
}

/**
 * Returns the browser's challenge, or undefined if it has another purpose or is older than five minutes. The cookie
 * stays for retries: the count of attempts says whether the challenge was used.
 */
export async function readChallenge(context: EndpointContext, keys: Keys, purpose: Purpose) {
  const data = await cookie.read(context, keys)
  return data?.for === purpose ? data : undefined
}
