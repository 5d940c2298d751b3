import type { Database } from "@accounts/d1-migrations/d1"
import { literal } from "@accounts/d1-migrations/files"
import * as z from "zod"

import { Failure, isFailure } from "../../base/failure.ts"

export type Outcome = "granted" | "already_owner" | "other_owner" | "unknown_user" | "unverified"

type Grant = { email: string; unverified: boolean }

// Without `role <> 'member'` SQLite would not use the index on roles.
const noOwner = "NOT EXISTS (SELECT 1 FROM user WHERE role <> 'member' AND role = 'owner')"

/** Milliseconds, as the service writes its times. */
export const now = "CAST(unixepoch('subsec') * 1000 AS INTEGER)"

function grantable({ email, unverified }: Grant) {
  return `email = ${literal(email)}${unverified ? "" : " AND email_verified = 1"} AND ${noOwner}`
}

/** Changes nothing when it runs again. */
export function grantStatement(given: Grant) {
  return `UPDATE user SET role = 'owner', updated_at = ${now}
WHERE ${grantable(given)}`
}

/** Writes the audit entry of the grant; in the same request, before it. */
function auditStatement(given: Grant) {
  return `INSERT INTO audit_entry (id, actor_id, subject_id, action, detail, created_at)
SELECT 'audit_entry_' || lower(hex(randomblob(12))), NULL, id, 'change_role', 'owner', ${now}
FROM user WHERE ${grantable(given)}`
}

export function standingStatement(email: string) {
  return `SELECT role = 'owner' AS owns, email_verified AS verified, NOT (${noOwner}) AS owned
FROM user WHERE email = ${literal(email)}`
}

/** SQLite's 0 or 1. */
const Flag = z.int().min(0).max(1).transform(Boolean)
const Standing = z.object({ owns: Flag, verified: Flag, owned: Flag })

/**
 * Makes a user the first owner. The role that is read afterwards decides, because the response to
 * the statement may be lost.
 */
export async function grant(options: Grant & { database: Database }): Promise<Outcome> {
  const { database, email, unverified } = options
  const read = async () => {
    const [standing] = await database.ask(standingStatement(email))
    return Standing.optional().parse(standing)
  }
  const before = obstacle(await read(), unverified)
  if (before !== undefined) return before
  const lost = await database
    .ask([auditStatement({ email, unverified }), grantStatement({ email, unverified })].join(";\n"))
    .then(() => undefined, ifLost)
  const after = obstacle(await read(), unverified)
  if (after !== undefined) return after === "already_owner" ? "granted" : after
  throw new Failure(
    "COMMAND_FAILED",
    `${email} is not an owner yet: the change was rejected or is still being made. Run this again.`,
    { cause: lost },
  )
}

/** Why a user cannot be made the first owner; undefined if nothing prevents it. */
function obstacle(
  standing: z.infer<typeof Standing> | undefined,
  unverified: boolean,
): Exclude<Outcome, "granted"> | undefined {
  if (standing?.owns) return "already_owner"
  if (standing?.owned) return "other_owner"
  if (standing === undefined) return "unknown_user"
  return standing.verified || unverified ? undefined : "unverified"
}

export function ifLost(error: unknown): Error {
  if (isFailure(error, "API_FAILED") && error.facts.lost) return error
  throw error
}
