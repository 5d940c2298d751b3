import { and, eq, sql } from "drizzle-orm"
import * as z from "zod"

import { auditOwn } from "../../platform/audit/audit.ts"
import type { EndpointContext } from "../../platform/cookie/host-cookie.ts"
import { passkey, session, user } from "../../platform/database/auth.table.ts"
import { createId, rowIf, sendChange } from "../../platform/database/database.ts"
import { createApiError } from "../../platform/http/failure.ts"
import { isStillProven, provenSession, requireProof } from "../../session/assurance/assurance.ts"
import { needsFactor, provenAt } from "../../session/assurance/authenticators.ts"
import { isMeantForAnother } from "../../session/caller.ts"
import { type Dependencies, type Path, post } from "../../session/endpoint.ts"
import { Name } from "../../session/profile.ts"
import { hasProven, isOpen } from "../../session/proof.ts"
import { enterAccount, openSession, createSuspensionError } from "../../session/session-opening.ts"
import { joinOf, signInStep } from "../second-factor/sign-in-step.ts"
import {
  algorithms,
  Assertion,
  Attestation,
  handleOf,
  maxPasskeys,
  purposes,
} from "./credential.ts"
import { checkPasskey, readChallenge, sealChallenge } from "./passkey-check.ts"

export const passkeyPaths = {
  begin: {
    path: "/passkey/begin",
    is: ["open"],
    body: z.object({ for: z.enum(purposes) }),
  },
  signIn: {
    path: "/sign-in/passkey",
    is: ["open"],
    body: z.object({
      passkey: Assertion,
      rememberMe: z.boolean().optional(),
    }),
  },
  add: {
    path: "/passkey/add",
    body: z.object({ passkey: Attestation, name: Name }),
  },
} as const satisfies Record<string, Path>

/** Milliseconds that a browser waits for its authenticator. */
const timeout = 5 * 60 * 1000

/** Maximum characters of a stored key. A 4,096-bit RSA key has about 720. */
const maxKey = 1000

/** A passkey needs no further factor, because the authenticator verifies its owner each time. */
export function passkeys(dependencies: Dependencies) {
  const { configuration, database, attempts, letters } = dependencies
  const { keys } = configuration

  /**
   * Reads the member and their passkeys, and checks whether they may add a passkey. A later rejection would leave an
   * unusable passkey in the authenticator.
   */
  const readAdder = async (context: EndpointContext) => {
    const { authCookies, secret } = context.context
    const token = await context.getSignedCookie(authCookies.sessionToken.name, secret)
    if (!token) throw createApiError("UNAUTHORIZED")
    const rows = await database
      .select({
        id: user.id,
        email: user.email,
        name: user.name,
        provenAt,
        needsFactor,
        isProven: sql<number>`not ${isOpen}`,
        known: passkey.credentialId,
      })
      .from(session)
      .innerJoin(user, eq(user.id, session.userId))
      .leftJoin(passkey, eq(passkey.userId, user.id))
      .where(and(eq(session.token, token), sql`${session.expiresAt} > ${Date.now()}`))
    const [member] = rows
    if (member === undefined) throw createApiError("UNAUTHORIZED")
    if (isMeantForAnother(context.headers, member.id)) throw createApiError("SESSION_CHANGED")
    if (member.isProven !== 1) throw createApiError("EMAIL_NOT_VERIFIED")
    await requireProof(dependencies, { userId: member.id, token, ...member }, context.headers)
    const credentials = rows.flatMap((row) => (row.known === null ? [] : [row.known]))
    if (credentials.length >= maxPasskeys) throw createApiError("TOO_MANY_PASSKEYS")
    return { ...member, known: credentials }
  }

  const passkeyBegin = post(passkeyPaths.begin, [], async (context) => {
    const { for: purpose } = context.body
    if (configuration.passkeys === undefined) throw createApiError("PASSKEYS_OFF")
    const { rpId } = configuration.passkeys
    const userVerification = "required"
    if (purpose !== "add") {
      const challenge = await sealChallenge(context, keys, { for: purpose })
      return context.json({ get: { challenge, rpId, timeout, userVerification } })
    }
    const member = await readAdder(context)
    const challenge = await sealChallenge(context, keys, { for: "add", userId: member.id })
    return context.json({
      create: {
        challenge,
        rp: { id: rpId, name: configuration.siteName ?? rpId },
        user: { id: handleOf(member.id), name: member.email, displayName: member.name },
        pubKeyCredParams: algorithms.map((alg) => ({ type: "public-key", alg })),
        excludeCredentials: member.known.map((id) => ({ type: "public-key", id })),
        authenticatorSelection: {
          residentKey: "required",
          requireResidentKey: true,
          userVerification,
        },
        attestation: "none",
        timeout,
      },
    })
  })

  const signInPasskey = post(passkeyPaths.signIn, [], async (context) => {
    const { passkey: assertion, rememberMe } = context.body
    const presented = { purpose: "sign-in", assertion } as const
    const checked = await checkPasskey(context, dependencies, presented)
    const { unprovenSince, suspension, ...owner } = checked.owner
    if (!owner.emailVerified || unprovenSince !== null) throw createApiError("PASSKEY_REFUSED")
    if (suspension !== null) throw createSuspensionError(suspension)
    const { row, when, statements } = await openSession(context, {
      database,
      userId: owner.id,
      forgets: rememberMe === false,
      factor: "passkey",
      when: sql`${checked.when} and ${hasProven(owner.id)}`,
    })
    const { headers } = context
    const entry = { database, userId: owner.id, detail: "passkey", when, headers }
    // A provider sign-in may have left a step with an identity to link.
    const step = await signInStep.read(context, keys)
    const joining = joinOf(dependencies, step, { headers, sessionId: row.id })
    const { opened, linked } = await sendChange(database, {
      change: {
        ...checked.spends,
        ...statements,
        ...joining,
      },
      after: {
        entry: auditOwn({ ...entry, action: "sign_in" }),
        ...checked.used,
      },
    })
    if (opened[0] === undefined) throw createApiError("PASSKEY_REFUSED")
    letters.send(linked ?? [])
    if (joining) signInStep.forget(context)
    return context.json(await enterAccount(context, dependencies, { row, owner }))
  })

  const addPasskey = post(passkeyPaths.add, provenSession(dependencies), async (context) => {
    const { passkey: attestation, name } = context.body
    if (configuration.passkeys === undefined) throw createApiError("PASSKEYS_OFF")
    const { user: member, session: ownSession } = context.context.session
    const challenge = await readChallenge(context, keys, "add")
    if (challenge?.userId !== member.id) throw createApiError("PASSKEY_REFUSED")
    const { verifyAttestation } = await import("./web-authentication.ts")
    const credential = await verifyAttestation(attestation, {
      ...configuration.passkeys,
      ...challenge,
      algorithms,
    })
    const publicKey = Buffer.from(credential?.publicKey ?? []).toString("base64url")
    if (credential === undefined || publicKey.length > maxKey) {
      throw createApiError("PASSKEY_REFUSED")
    }
    const row = {
      id: createId("passkey"),
      userId: member.id,
      credentialId: credential.id,
      publicKey,
      algorithm: credential.algorithm,
      count: credential.counter,
      backedUp: credential.backedUp,
      transports: JSON.stringify(attestation.response.transports ?? []),
      name,
      createdAt: new Date(),
      usedAt: null,
    }
    const isOwn = isStillProven(ownSession)
    const isProven = hasProven(member.id)
    const count = sql<number>`(select count(*) from ${passkey} where ${passkey.userId} = ${member.id})`
    const isNew = sql`not exists (select 1 from ${passkey} where ${passkey.credentialId} = ${row.credentialId})`
    const when = sql`${isOwn} and ${isProven} and ${count} < ${maxPasskeys} and ${isNew}
        and ${attempts.isWithin("once", challenge.challenge)}`
    const { entry, added } = await sendChange(database, {
      before: {
        spent: attempts.count("once", challenge.challenge),
        entry: letters.note(context.headers, {
          action: "passkey_added",
          userId: member.id,
          detail: row.id,
          when,
        }),
      },
      change: {
        added: database
          .insert(passkey)
          .select(rowIf(passkey, row, when))
          .returning({ id: passkey.id }),
      },
      after: {
        // This session is stepped up: the authenticator verified its owner. Sessions without a factor no longer are.
        session: database
          .update(session)
          .set({ factor: "passkey", provenAt: row.createdAt })
          .where(
            sql`${eq(session.id, ownSession.id)} and exists (select 1 from ${passkey} where id = ${row.id})`,
          ),
      },
    })
    if (added[0] === undefined) {
      const [state] = await database
        .select({
          isOwn: sql<number>`${isOwn}`,
          isProven: sql<number>`${isProven}`,
          hasRoom: sql<number>`${count} < ${maxPasskeys}`,
        })
        .from(user)
        .where(eq(user.id, member.id))
      if (state?.isOwn !== 1) throw createApiError("UNAUTHORIZED")
      if (state.isProven !== 1) throw createApiError("EMAIL_NOT_VERIFIED")
      throw createApiError(state.hasRoom === 1 ? "PASSKEY_REFUSED" : "TOO_MANY_PASSKEYS")
    }
    letters.send(entry)
    return context.json({ id: row.id, name, createdAt: row.createdAt })
  })

  return { passkeyBegin, signInPasskey, addPasskey }
}
