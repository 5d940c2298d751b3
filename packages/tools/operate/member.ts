import type { Database } from "@accounts-stack/d1-migrations/d1"
import { literal } from "@accounts-stack/d1-migrations/files"
import * as z from "zod"

import { Failure, isFailure } from "../base/failure.ts"
import { project } from "../environment/project/own-project.ts"

/** Returns an address in the form in which sign-up stores it. */
export function readEmail(address: string): string {
  const { data } = project.schemas.email.safeParse(address)
  if (data === undefined) throw new Failure("USAGE", `${address} is not an e-mail address.`)
  return data
}

/** Runs statements, then checks the database's state, because the response may be lost. */
async function change<Read>(options: {
  database: Database
  sql: string[]
  read: () => Promise<Read>
  /** Returns why the change was not made; undefined if it was. */
  obstacle: (after: Read) => string | undefined
}): Promise<Read> {
  const { database, sql, read, obstacle } = options
  const cause = await database.ask(sql.join(";\n")).then(
    () => undefined,
    (error: unknown) => {
      if (isFailure(error, "API_FAILED") && error.facts.lost) return error
      throw error
    },
  )
  const after = await read()
  const message = obstacle(after)
  if (message === undefined) return after
  throw new Failure("COMMAND_FAILED", `${message}. Run this again.`, { cause })
}

const Access = z.object({
  sessions: z.number(),
  passwords: z.number(),
  passkeys: z.number(),
  /** Identity providers that the account can sign in with, separated by commas. */
  providers: z.string().nullable(),
})

/**
 * Ends every session of a user and removes the password and passkeys: a reset by e-mail or a provider gives
 * access again.
 * @returns the providers that the user can still sign in with
 */
export async function signOut(database: Database, email: string): Promise<string | null> {
  const { access, end } = project.operator.signOut
  const address = literal(email)
  const read = async () => Access.optional().parse((await database.ask(access(address)))[0])
  if ((await read()) === undefined) throw isUnknown(email)
  const reason = "the change was rejected, is still being made, or a new sign-in followed it"
  const obstacle = (after: Awaited<ReturnType<typeof read>>) =>
    after && after.sessions + after.passwords + after.passkeys > 0
      ? `${email} can be signed in: ${reason}`
      : undefined
  const after = await change({ database, sql: end(address), read, obstacle })
  return after?.providers ?? null
}

const Factor = z.object({ isOn: z.int() })

/**
 * Removes the second factor of an account whose app and recovery codes are lost, and ends its sessions.
 * @returns whether the account had a second factor
 */
export async function resetFactor(database: Database, email: string): Promise<boolean> {
  const { standing, takeOff } = project.operator.secondFactor
  const address = literal(email)
  const read = async () => Factor.optional().parse((await database.ask(standing(address)))[0])
  const before = await read()
  if (before === undefined) throw isUnknown(email)
  if (before.isOn === 0) return false
  const reason = "the change was rejected or is still being made"
  const obstacle = (after: typeof before | undefined) =>
    after?.isOn === 1
      ? `The account of ${email} still asks for a second factor: ${reason}`
      : undefined
  await change({ database, sql: takeOff(address), read, obstacle })
  return true
}

function isUnknown(email: string): Failure {
  return new Failure("COMMAND_FAILED", `There is no user ${email}.`)
}

export type Outcome = "granted" | "already_owner" | "other_owner" | "unknown_user" | "unverified"

/** SQLite's 0 or 1. */
const Flag = z.int().min(0).max(1).transform(Boolean)
const Standing = z.object({ owns: Flag, verified: Flag, owned: Flag })

/** Makes a user the first owner. */
export async function grantOwner(options: {
  database: Database
  email: string
  /** Accepts an address that is not verified. */
  unverified: boolean
}): Promise<Outcome> {
  const { database, email, unverified } = options
  const address = literal(email)
  const { standing, grant } = project.operator.owner
  /** Returns the obstacle; undefined if there is none. */
  const read = async (): Promise<Exclude<Outcome, "granted"> | undefined> => {
    const state = Standing.optional().parse((await database.ask(standing(address)))[0])
    if (state?.owns) return "already_owner"
    if (state?.owned) return "other_owner"
    if (state === undefined) return "unknown_user"
    return state.verified || unverified ? undefined : "unverified"
  }
  const before = await read()
  if (before !== undefined) return before
  const after = await change({
    database,
    sql: grant({ email: address, unverified }),
    read,
    obstacle: (obstacle) =>
      obstacle === undefined
        ? `${email} is not an owner yet: the change was rejected or is still being made`
        : undefined,
  })
  return after === "already_owner" || after === undefined ? "granted" : after
}

export function describeOutcome(
  outcome: Outcome,
  { email, stack, otherwise }: { email: string; stack: string; otherwise: string },
): string {
  const messages: Record<Outcome, string> = {
    granted: `${email} is now the owner of ${stack}.`,
    already_owner: `${email} is already an owner of ${stack}: nothing was changed.`,
    other_owner: `${stack} already has an owner. Only an owner can make another: POST ${project.paths.changeRole}.`,
    unknown_user: `${stack} has no user ${email}: sign up there first.`,
    unverified: `${email} is not verified in ${stack}: open the link in the verification e-mail first${otherwise}.`,
  }
  return messages[outcome]
}

const Ways = z.object({
  accounts: z.number(),
  /** Accounts that can sign in only with a password. */
  passwordAlone: z.number(),
  ownersWithPasswordAlone: z.number(),
  withProvider: z.number(),
  withPasskey: z.number(),
  /** Accounts that can sign in only through a provider that is trusted for their address. */
  neither: z.number(),
  /** Accounts that accounts:requireSecondFactor would restrict. */
  ownersWithoutFactor: z.number(),
  adminsWithoutFactor: z.number(),
  membersWithoutFactor: z.number(),
})

/** Counts the accounts by their sign-in methods. @param options.providers ids in the stack file */
export async function countWays(
  database: Database,
  { providers, passkeys }: { providers: string[]; passkeys: boolean },
) {
  const params = { providers: providers.map(literal), passkeys }
  const [row] = await database.ask(project.operator.ways.count(params))
  return Ways.parse(row)
}
