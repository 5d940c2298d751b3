import { eq, sql } from "drizzle-orm"

import { networkSubject } from "../../guard/attempts.ts"
import { auditOwn } from "../../platform/audit/audit.ts"
import type { EndpointContext } from "../../platform/cookie/host-cookie.ts"
import { account, invitation, session, user } from "../../platform/database/auth.table.ts"
import { createId, rowIf, sendChange, sendNamed } from "../../platform/database/database.ts"
import { log } from "../../platform/http/log.ts"
import { wishedLanguage } from "../../platform/mail/language.ts"
import { hasApp, hasFactor } from "../../session/assurance/authenticators.ts"
import { sessionUserColumns } from "../../session/caller.ts"
import type { Dependencies } from "../../session/endpoint.ts"
import { invites, isOpen, isUnproven, prove } from "../../session/proof.ts"
import { openSession, suspension } from "../../session/session-opening.ts"
import { askForFactor } from "../second-factor/sign-in-step.ts"
import type { profileOf } from "./claims.ts"
import { holderOf, type Identity, isIdentity, joinIdentity, mayJoin, ownerOf } from "./identity.ts"
import { type SignInError, SignInFailure } from "./sign-in-error.ts"

type Options = Pick<Dependencies, "configuration" | "database" | "attempts" | "letters"> &
  ReturnType<typeof profileOf> & {
    context: EndpointContext
    identity: Identity
    /** When the user signed in at the provider; null if that is unknown. */
    shownAt: Date | null
    /** URL of the browser after the sign-in. */
    page: string
  }

/**
 * Signs in or signs up the user of a verified profile, in one batch with the audit entries and their emails.
 * @throws SignInFailure
 */
export async function enter(options: Options) {
  // The slower of two concurrent first sign-ins finds the account of the faster on its second try.
  const entry = (await tryToEnter(options)) ?? (await tryToEnter(options))
  if (entry === undefined) throw new SignInFailure("internal_server_error")
  return entry
}

/** Returns undefined if another request has changed what was read. */
async function tryToEnter(options: Options) {
  const { context, configuration, database, attempts, letters, identity, page } = options
  const { providerId } = identity
  const owners = await readOwners(options)
  const { byIdentity, byAddress } = owners
  const refusal = refusalOf(options, owners)
  if (refusal !== undefined) throw new SignInFailure(refusal)
  const owner = byIdentity ?? byAddress
  const reason = owner?.suspension ?? null
  // Only a user whom the provider confirms as the owner learns of the suspension.
  if (reason !== null) throw new SignInFailure("account_suspended", { reason })
  const holder = holderOf(identity)
  // An identity that was removed since the read opens no session.
  const isHeld = sql`${holder} is not null`
  const pending = owner?.asksFactor === 1 && {
    database,
    userId: owner.userId,
    email: owner.email,
    way: providerId,
    forgets: false,
    page,
    when: isHeld,
    // A new identity joins the account only after the second factor.
    ...(!byIdentity && { joins: identity, when: mayJoin(owner.email, identity) }),
  }
  const step = pending ? await askForFactor(context, pending, configuration) : undefined
  const newId = createId("user")
  const opening = { database, userId: holder, when: isHeld, shownAt: options.shownAt }
  const { row, when, statements } = await openSession(context, { ...opening, ...step?.opening })
  const entry = { database, userId: holder, detail: providerId, when, headers: context.headers }
  const {
    counted = [],
    linked = [],
    stored: [member],
    ...results
  } = await sendChange(database, {
    before: {
      ...(byIdentity?.issuer === null && bindIssuer(options, byIdentity.id)),
      ...(byAddress?.isOpen === 1 && byAddress.userId === owner?.userId && proofOf(options)),
      ...(!byIdentity && !pending && join(options, newId)),
      entry: auditOwn({ ...entry, action: "sign_in" }),
    },
    change: { ...statements, ...step?.statements },
    after: {
      stored: database
        .select(sessionUserColumns)
        .from(session)
        .innerJoin(user, eq(user.id, session.userId))
        .where(eq(session.id, row.id)),
    },
  })
  if (member !== undefined) {
    letters.send(linked)
    return { row, owner: member, isRegister: member.id === newId }
  }
  const methods = await step?.finish?.(results)
  // The environment has switched off the account's only factor.
  if (methods?.length === 0) throw new SignInFailure("account_not_linked")
  if (methods !== undefined) throw new SignInFailure("second_factor_required")
  const isRefused = counted.length > 0 && !attempts.admits("sign-up", counted)
  if (isRefused) throw new SignInFailure("too_many_sign_ups")
  return undefined
}

/** Reads the account that has the identity, and the account that has the address. */
async function readOwners({ database, configuration, identity, profile: { email } }: Options) {
  const isInvited = configuration.signUp === "invited" ? invites(email) : undefined
  const columns = { userId: user.id, email: user.email, suspension }
  const {
    identities: [byIdentity],
    addresses: [byAddress],
    invitations = [],
  } = await sendNamed(database, {
    invitations:
      isInvited && database.select({ id: invitation.id }).from(invitation).where(isInvited),
    identities: database
      .select({
        ...columns,
        // Not `user.id`: a batch returns only one of two columns with the same name.
        userId: account.userId,
        id: account.id,
        issuer: account.issuer,
        asksFactor: sql<number>`${hasApp(sql`${user.id}`)}`,
      })
      .from(account)
      .innerJoin(user, eq(user.id, account.userId))
      .where(isIdentity(identity)),
    addresses: database
      .select({
        ...columns,
        isOpen: sql<number>`${isOpen}`,
        isUnproven: sql<number>`${isUnproven}`,
        mayJoin: sql<number>`${mayJoin(email, identity)}`,
        asksFactor: sql<number>`(${hasFactor(sql`${user.id}`)} and not ${isOpen})`,
      })
      .from(user)
      .where(eq(user.email, email)),
  })
  return { byIdentity, byAddress, isInvited: invitations.length > 0 }
}

/** Returns why the identity cannot enter its account or the account of its address, or open a new one. */
function refusalOf(
  { identity, profile, doubt, isAuthority, configuration: { signUp } }: Options,
  { byIdentity, byAddress, isInvited }: Awaited<ReturnType<typeof readOwners>>,
): SignInError | undefined {
  if (byIdentity !== undefined) {
    if (byIdentity.issuer === identity.issuer) return undefined
    // A row without an issuer is older than the column. It matches if the provider names the account's address.
    if (byIdentity.issuer === null && byIdentity.email === profile.email) return undefined
    log("warn", "provider.other_issuer", { provider: identity.providerId })
    return "account_not_linked"
  }
  if (doubt !== undefined) return doubt
  // Verifying the address removes the rows of an unverified account that block the identity.
  const isFree = byAddress?.mayJoin === 1 || byAddress?.isOpen === 1
  if (isAuthority && isFree) return undefined
  if (byAddress !== undefined && byAddress.isUnproven !== 1) return "account_not_linked"
  if (signUp === "closed") return "sign_up_closed"
  if (signUp === "open") return undefined
  // A provider without authority may have verified the address for its previous owner.
  return isInvited && isAuthority ? undefined : "invitation_required"
}

/**
 * Returns the statement that sets the issuer of the identity's row, which is older than that column. It also updates
 * other such rows of the provider, because all have the same issuer.
 */
function bindIssuer({ database, identity: { providerId, issuer } }: Options, id: string) {
  const isUnbound = sql`${account.providerId} = ${providerId} and ${account.issuer} is null
    and ${account.providerId} <> 'credential'`
  // D1 limits the duration of a statement.
  const batch = sql`(select ${account.id} from ${account} where ${isUnbound} limit 1000)`
  const isBound = sql`${isUnbound} and (${account.id} = ${id} or ${account.id} in ${batch})`
  return { bound: database.update(account).set({ issuer }).where(isBound) }
}

/** Condition: the sign-up setting allows a new account with this address. */
function mayOpen({ configuration: { signUp }, profile: { email } }: Options) {
  if (signUp !== "invited") return sql.raw(signUp === "closed" ? "false" : "true")
  return sql`exists (select 1 from ${invitation} where ${invites(email)})`
}

/** Returns the statements that delete a pending sign-up of the address and, for an authority, verify the address. */
function proofOf(options: Options) {
  const { database, identity, profile, isAuthority } = options
  const { email, ...rest } = profile
  const isFree = sql`${user.email} = ${email} and ${isUnproven}`
  const keeps = sql`(${isIdentity(identity)})`
  return {
    // If sign-up is closed, no new account would replace it.
    unproven: database.delete(user).where(sql`${isFree} and ${mayOpen(options)}`),
    ...(isAuthority && prove(database, { userId: ownerOf(email), keeps, profile: rest })),
  }
}

/** Returns the statements that link the identity to the account of its address, or to a new account. */
function join(options: Options, newId: string) {
  const { context, configuration, database, attempts, identity, profile, isAuthority } = options
  const { email } = profile
  const { headers } = context
  const network = networkSubject(headers)
  const now = new Date()
  const isTheirs = isAuthority ? sql`not ${isOpen}` : sql`false`
  const when = sql`exists (select 1 from ${user} where ${user.email} = ${email}
    and (${user.id} = ${newId} or ${isTheirs}))`
  const accepted = headers?.get("accept-language") ?? null
  const offered = configuration.look.languages
  const newUser = {
    ...profile,
    language: wishedLanguage({ chosen: [], accepted, offered }) ?? null,
    id: newId,
    // An address that another provider verified once may have a new owner.
    emailVerified: isAuthority,
    createdAt: now,
    updatedAt: now,
  }
  // A user without a sign-in method would keep the address from its owner.
  const isNew = sql`not exists (select 1 from ${account} where ${isIdentity(identity)})`
  const opens = sql`${isNew} and ${mayOpen(options)} and ${ownerOf(email)} is null`
  const { account: row, linked } = joinIdentity(options, { email, identity, headers, when, newId })
  return {
    counted: attempts.count("sign-up", network, opens),
    user: database
      .insert(user)
      .select(rowIf(user, newUser, sql`${opens} and ${attempts.isWithin("sign-up", network)}`))
      .onConflictDoNothing(),
    row,
    // Each invitation opens one account.
    ...(configuration.signUp === "invited" && {
      invited: database.delete(invitation)
        .where(sql`${invitation.email} = ${email} and exists (select 1 from ${user}
          where ${user.email} = ${email} and not ${isUnproven})`),
    }),
    linked,
  }
}
