import { and, eq, sql } from "drizzle-orm"

import { auditOwn } from "../../admin/audit.ts"
import { createId, rowIf, sendNamed } from "../../database/database.ts"
import { log } from "../../http/log.ts"
import { wishedLanguage } from "../../mail/language.ts"
import { networkSubject } from "../attempts.ts"
import { account, invitation, session, user } from "../auth.table.ts"
import { sessionUserColumns } from "../caller.ts"
import type { EndpointContext } from "../cookie/host-cookie.ts"
import type { Dependencies } from "../endpoint.ts"
import { askForFactor } from "../factor/sign-in-step.ts"
import { invites, isOpen, isUnproven, prove } from "../proof.ts"
import { openSession } from "../session-opening.ts"
import type { profileOf } from "./claims.ts"
import {
  bindIssuer,
  findOwners,
  type Identity,
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
  /** When the provider has asked who it is, because this service wanted it to; null if that is not known. */
  shownAt: Date | null
  /** Where the browser goes once it is signed in. */
  page: string
}

/**
 * Signs the user of a verified profile in or up, in one batch with the audit entries and the letter
 * that is owed; returns the code of an error.
 * @throws SignInFailure for a suspended account
 */
export async function enter(options: Options) {
  // Two first sign-ins may come at once: on its second try the slower one finds what the other has made.
  const entered = (await tryToEnter(options)) ?? (await tryToEnter(options))
  return entered ?? ("internal_server_error" satisfies SignInError)
}

/** Undefined if what was found is not so any more. */
async function tryToEnter(options: Options) {
  const { context, database, attempts, letters, identity, profile } = options
  const owners = await findOwners(options, identity, profile.email)
  const { known, named } = owners
  const refused = known === undefined ? refusalOf(options, owners) : refusalOfKnown(options, known)
  if (refused !== undefined) return refused
  // Said to whom the provider names as the owner alone.
  const reason = (known ?? named)?.suspension ?? null
  if (reason !== null) throw new SignInFailure("account_suspended", { reason })
  const newUser = createId("user")
  const way =
    known === undefined
      ? join(options, newUser, named?.isOpen === 1)
      : {
          id: known.id,
          linked: undefined,
          counted: undefined,
          ...(known.issuer === null && bindIssuer(database, identity, known.id)),
          ...(known.email === profile.email && named?.isOpen === 1 && proofOf(options)),
        }
  const { id, ...statements } = way
  const owner = sql<string>`(select ${account.userId} from ${account} where ${account.id} = ${id})`
  // Removed meanwhile, it opens nothing.
  const isIn = sql`exists (select 1 from ${account} where ${account.id} = ${id}
    and ${account.issuer} = ${identity.issuer})`
  const opening = { database, userId: owner, when: isIn, shownAt: options.shownAt }
  const { configuration, page } = options
  const asked = { ...opening, way: identity.providerId, forgets: false, page }
  // A new identity joins an account that has a factor once that is shown, and leaves nothing before.
  const joined = known === undefined && named?.isOpen !== 1 && named?.hasFactor === 1 ? named : null
  const to = joined ?? (known?.hasApp === 1 ? known : undefined)
  const step =
    to &&
    (await askForFactor(
      context,
      {
        ...asked,
        userId: to.userId,
        email: to.email,
        ...(joined && { joins: identity, when: mayJoin(joined.email, identity) }),
      },
      configuration,
    ))
  const opened = await openSession(context, { ...opening, ...step?.opening })
  const { row, when } = opened
  const { headers } = context
  const entry = { database, userId: owner, detail: identity.providerId, when, headers }
  const {
    counted = [],
    linked = [],
    stored,
    ...results
  } = await sendNamed(database, {
    ...(joined ? { counted: undefined, linked: undefined } : statements),
    entry: auditOwn({ ...entry, action: "sign_in" }),
    ...opened.statements,
    ...step?.statements,
    stored: database
      .select(sessionUserColumns)
      .from(session)
      .innerJoin(user, eq(user.id, session.userId))
      .where(eq(session.id, row.id)),
  })
  const [entered] = stored
  const isRefused = counted.length > 0 && !attempts.admits("sign-up", counted)
  if (entered === undefined) {
    const ways = await step?.finish?.(results)
    // Of an account whose only factor is switched off.
    if (ways?.length === 0) return "account_not_linked" satisfies SignInError
    if (ways !== undefined) return "second_factor_required" satisfies SignInError
    return isRefused ? ("too_many_sign_ups" satisfies SignInError) : undefined
  }
  letters.send(linked)
  const isRegister = entered.id === newUser
  return { row, owner: entered, isRegister }
}

type Owners = Awaited<ReturnType<typeof findOwners>>

/** Why an identity that nobody has may not come to the account of its address, or open one. */
function refusalOf(
  { doubt, isAuthority, configuration }: Options,
  { named, isInvited }: Owners,
): SignInError | undefined {
  if (doubt !== undefined) return doubt
  // What keeps an identity out of an open account goes with the proof.
  const isFree = named?.mayJoin === 1 || named?.isOpen === 1
  if (named !== undefined && isAuthority && isFree) return undefined
  if (named !== undefined && named.isUnproven !== 1) return "account_not_linked"
  if (configuration.signUp === "closed") return "sign_up_closed"
  if (configuration.signUp === "open") return undefined
  // Whoever has verified the address once may have lost it: the letter goes to who has it now.
  return isInvited && isAuthority ? undefined : "invitation_required"
}

/** Condition of what opens an account with the address, or makes room for one. */
function mayOpen({ signUp }: Options["configuration"], email: string) {
  if (signUp !== "invited") return sql.raw(signUp === "closed" ? "false" : "true")
  return sql`exists (select 1 from ${invitation} where ${invites(email)})`
}

/** Statements for an address that a provider names: what of a stranger is under it goes. */
function proofOf({ configuration, database, identity, profile, isAuthority }: Options) {
  const { providerId, subject } = identity
  const { email, name, image } = profile
  return {
    // Where nobody may sign up, no other account would take its place.
    unproven: database
      .delete(user)
      .where(and(eq(user.email, email), isUnproven, mayOpen(configuration, email))),
    ...(isAuthority &&
      prove(database, {
        userId: ownerOf(email),
        keeps: sql`(${account.providerId} = ${providerId} and ${account.accountId} = ${subject})`,
        profile: { name, image },
      })),
  }
}

function refusalOfKnown(
  { identity, profile }: Options,
  known: NonNullable<Owners["known"]>,
): SignInError | undefined {
  if (known.issuer === identity.issuer) return undefined
  // One of before this column is its owner's where the provider names the address of the account.
  if (known.issuer === null && known.email === profile.email) return undefined
  log("warn", "provider.other_issuer", { provider: identity.providerId })
  return "account_not_linked"
}

/** Statements that let an identity join the account of its address, or a new one. */
function join(options: Options, newId: string, isTaken: boolean) {
  const { configuration, database, attempts, identity, profile, isAuthority } = options
  const { providerId, subject: accountId } = identity
  const network = networkSubject(options.context.headers)
  const now = new Date()
  const userId = ownerOf(profile.email)
  const isTheirs = isAuthority ? sql`not ${isOpen}` : sql`false`
  const when = sql`exists (select 1 from ${user} where ${user.email} = ${profile.email}
    and (${user.id} = ${newId} or ${isTheirs}))`
  const { headers } = options.context
  const joining = joinIdentity(options, { email: profile.email, identity, headers, when, newId })
  const accepted = options.context.headers?.get("accept-language") ?? null
  const newUser = {
    ...profile,
    language:
      wishedLanguage({ chosen: [], accepted, offered: configuration.look.languages }) ?? null,
    id: newId,
    // What another has verified once may be somebody else's by now.
    emailVerified: isAuthority,
    unprovenSince: null,
    createdAt: now,
    updatedAt: now,
  }
  // Somebody without a way to sign in would keep the address from its owner.
  const isNew = sql`not exists (select 1 from ${account} where ${account.providerId} = ${providerId}
    and ${account.accountId} = ${accountId})`
  const opens = sql`${isNew} and ${mayOpen(configuration, profile.email)} and ${userId} is null`
  return {
    id: joining.id,
    ...(isTaken && proofOf(options)),
    counted: attempts.count("sign-up", network, opens),
    user: database
      .insert(user)
      .select(rowIf(user, newUser, sql`${opens} and ${attempts.isWithin("sign-up", network)}`))
      .onConflictDoNothing(),
    account: joining.statements.account,
    // Once for each invitation, whoever comes first.
    invited:
      configuration.signUp === "invited"
        ? database.delete(invitation)
            .where(sql`${invitation.email} = ${profile.email} and exists (select 1 from ${user}
              where ${user.email} = ${profile.email} and not ${isUnproven})`)
        : undefined,
    linked: joining.statements.linked,
  }
}
