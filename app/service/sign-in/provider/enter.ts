import { eq, sql } from "drizzle-orm"

import { networkSubject } from "../../guard/attempts.ts"
import { auditOwn } from "../../platform/audit/audit.ts"
import type { EndpointContext } from "../../platform/cookie/host-cookie.ts"
import { account, invitation, session, user } from "../../platform/database/auth.table.ts"
import { createId, rowIf, sendChange } from "../../platform/database/database.ts"
import { log } from "../../platform/http/log.ts"
import { wishedLanguage } from "../../platform/mail/language.ts"
import { sessionUserColumns } from "../../session/caller.ts"
import type { Dependencies } from "../../session/endpoint.ts"
import { invites, isOpen, isUnproven, prove } from "../../session/proof.ts"
import { openSession } from "../../session/session-opening.ts"
import { askForFactor } from "../second-factor/sign-in-step.ts"
import type { profileOf } from "./claims.ts"
import {
  bindIssuer,
  findOwners,
  type Identity,
  isIdentity,
  joinIdentity,
  mayJoin,
  ownerOf,
} from "./identity.ts"
import { type SignInError, SignInFailure } from "./sign-in-error.ts"

type Options = Pick<Dependencies, "configuration" | "database" | "attempts" | "letters"> & {
  context: EndpointContext
  identity: Identity
  /** Why the provider is not believed about the address, which then is empty in `profile`. */
  doubt: SignInError | undefined
  profile: ReturnType<typeof profileOf>
  /** Whether the provider's word about the address opens an account that exists. */
  isAuthority: boolean
  /** When the provider asked who it is, because this service wanted it to; null if that is unknown. */
  shownAt: Date | null
  /** Where the browser goes once it is signed in. */
  page: string
}

/**
 * Signs the user of a verified profile in or up, in one batch with the audit entries and the letter
 * that is owed.
 * @throws SignInFailure
 */
export async function enter(options: Options) {
  // Two first sign-ins may come at once: on its second try the slower one finds the other's account.
  const entry = (await tryToEnter(options)) ?? (await tryToEnter(options))
  if (entry === undefined) throw new SignInFailure("internal_server_error")
  return entry
}

/** Returns undefined if another request has changed what was read. */
async function tryToEnter(options: Options) {
  const { context, configuration, database, attempts, letters, identity, profile, page } = options
  const owners = await findOwners(options, identity, profile.email)
  const { byIdentity, byAddress } = owners
  const refusal = refusalOf(options, owners)
  if (refusal !== undefined) throw new SignInFailure(refusal)
  // Told only to the person whom the provider names as the owner.
  const reason = (byIdentity ?? byAddress)?.suspension ?? null
  if (reason !== null) throw new SignInFailure("account_suspended", { reason })
  const isTaken = byAddress?.isOpen === 1
  const newUser = createId("user")
  const { id, ...statements } =
    byIdentity === undefined
      ? join(options, newUser, isTaken)
      : {
          id: byIdentity.id,
          linked: undefined,
          counted: undefined,
          ...(byIdentity.issuer === null && bindIssuer(database, identity, byIdentity.id)),
          ...(byIdentity.email === profile.email && isTaken && proofOf(options)),
        }
  const owner = sql<string>`(select ${account.userId} from ${account} where ${account.id} = ${id})`
  // An identity that was removed meanwhile opens nothing.
  const isIn = sql`exists (select 1 from ${account} where ${account.id} = ${id}
    and ${account.issuer} = ${identity.issuer})`
  // A new identity joins an account that has a factor only once the factor was shown.
  const joined =
    byIdentity === undefined && !isTaken && byAddress?.hasFactor === 1 ? byAddress : null
  const factorOwner = joined ?? (byIdentity?.hasApp === 1 ? byIdentity : undefined)
  const pending = factorOwner && {
    database,
    userId: factorOwner.userId,
    email: factorOwner.email,
    when: isIn,
    way: identity.providerId,
    forgets: false,
    page,
    ...(joined && { joins: identity, when: mayJoin(joined.email, identity) }),
  }
  const step = pending && (await askForFactor(context, pending, configuration))
  const opening = { database, userId: owner, when: isIn, shownAt: options.shownAt }
  const opened = await openSession(context, { ...opening, ...step?.opening })
  const { row, when } = opened
  const entry = { database, userId: owner, detail: identity.providerId, when }
  const {
    counted = [],
    linked = [],
    stored,
    ...results
  } = await sendChange(database, {
    before: {
      ...(joined ? { counted: undefined, linked: undefined } : statements),
      entry: auditOwn({ ...entry, action: "sign_in", headers: context.headers }),
    },
    change: { ...opened.statements, ...step?.statements },
    after: {
      stored: database
        .select(sessionUserColumns)
        .from(session)
        .innerJoin(user, eq(user.id, session.userId))
        .where(eq(session.id, row.id)),
    },
  })
  const [member] = stored
  if (member !== undefined) {
    letters.send(linked)
    return { row, owner: member, isRegister: member.id === newUser }
  }
  const methods = await step?.finish?.(results)
  // The account's only factor is switched off.
  if (methods?.length === 0) throw new SignInFailure("account_not_linked")
  if (methods !== undefined) throw new SignInFailure("second_factor_required")
  const isRefused = counted.length > 0 && !attempts.admits("sign-up", counted)
  if (isRefused) throw new SignInFailure("too_many_sign_ups")
  return undefined
}

/** Returns why an identity may enter neither its account nor that of its address, and may not open one. */
function refusalOf(
  { identity, profile, doubt, isAuthority, configuration }: Options,
  { byIdentity, byAddress, isInvited }: Awaited<ReturnType<typeof findOwners>>,
): SignInError | undefined {
  if (byIdentity !== undefined) {
    if (byIdentity.issuer === identity.issuer) return undefined
    // A row older than this column is its owner's if the provider names the address of the account.
    if (byIdentity.issuer === null && byIdentity.email === profile.email) return undefined
    log("warn", "provider.other_issuer", { provider: identity.providerId })
    return "account_not_linked"
  }
  if (doubt !== undefined) return doubt
  // What keeps an identity out of an open account goes with the proof.
  const isFree = byAddress?.mayJoin === 1 || byAddress?.isOpen === 1
  if (byAddress !== undefined && isAuthority && isFree) return undefined
  if (byAddress !== undefined && byAddress.isUnproven !== 1) return "account_not_linked"
  if (configuration.signUp === "closed") return "sign_up_closed"
  if (configuration.signUp === "open") return undefined
  // A person who verified the address once may have lost it: the email goes to its owner.
  return isInvited && isAuthority ? undefined : "invitation_required"
}

/** Condition of what opens an account with the address, or makes room for one. */
function mayOpen({ signUp }: Options["configuration"], email: string) {
  if (signUp !== "invited") return sql.raw(signUp === "closed" ? "false" : "true")
  return sql`exists (select 1 from ${invitation} where ${invites(email)})`
}

/** Statements for an address that a provider names: they remove what a stranger has under it. */
function proofOf({ configuration, database, identity, profile, isAuthority }: Options) {
  const { email, name, image } = profile
  const isFree = sql`${user.email} = ${email} and ${isUnproven}`
  const proof = {
    userId: ownerOf(email),
    keeps: sql`(${isIdentity(identity)})`,
    profile: { name, image },
  }
  return {
    // Where nobody may sign up, no other account would take its place.
    unproven: database.delete(user).where(sql`${isFree} and ${mayOpen(configuration, email)}`),
    ...(isAuthority && prove(database, proof)),
  }
}

/** Statements that let an identity join the account of its address, or a new one. */
function join(options: Options, newId: string, isTaken: boolean) {
  const { context, configuration, database, attempts, identity, profile, isAuthority } = options
  const { email } = profile
  const { headers } = context
  const network = networkSubject(headers)
  const now = new Date()
  const isTheirs = isAuthority ? sql`not ${isOpen}` : sql`false`
  const when = sql`exists (select 1 from ${user} where ${user.email} = ${email}
    and (${user.id} = ${newId} or ${isTheirs}))`
  const { id, statements } = joinIdentity(options, { email, identity, headers, when, newId })
  const accepted = headers?.get("accept-language") ?? null
  const offered = configuration.look.languages
  const newUser = {
    ...profile,
    language: wishedLanguage({ chosen: [], accepted, offered }) ?? null,
    id: newId,
    // An address that another provider verified once may have a new owner.
    emailVerified: isAuthority,
    unprovenSince: null,
    createdAt: now,
    updatedAt: now,
  }
  // A user without a sign-in method would keep the address from its owner.
  const isNew = sql`not exists (select 1 from ${account} where ${isIdentity(identity)})`
  const opens = sql`${isNew} and ${mayOpen(configuration, email)} and ${ownerOf(email)} is null`
  return {
    id,
    ...(isTaken && proofOf(options)),
    counted: attempts.count("sign-up", network, opens),
    user: database
      .insert(user)
      .select(rowIf(user, newUser, sql`${opens} and ${attempts.isWithin("sign-up", network)}`))
      .onConflictDoNothing(),
    account: statements.account,
    // Each invitation opens one account.
    invited:
      configuration.signUp === "invited"
        ? database.delete(invitation)
            .where(sql`${invitation.email} = ${email} and exists (select 1 from ${user}
              where ${user.email} = ${email} and not ${isUnproven})`)
        : undefined,
    linked: statements.linked,
  }
}
