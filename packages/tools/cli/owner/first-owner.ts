import type { Database } from "@accounts-stack/d1-migrations/d1"
import { literal } from "@accounts-stack/d1-migrations/files"
import * as z from "zod"

import { Failure, isFailure } from "../../base/failure.ts"
import { project } from "../../environment/project/own-project.ts"

export type Outcome = "granted" | "already_owner" | "other_owner" | "unknown_user" | "unverified"

/** SQLite's 0 or 1. */
const Flag = z.int().min(0).max(1).transform(Boolean)
const Standing = z.object({ owns: Flag, verified: Flag, owned: Flag })

/**
 * Makes a user the first owner. The role that is read afterwards decides, because the response to
 * the statement may be lost.
 */
export async function grant(options: {
  database: Database
  email: string
  unverified: boolean
}): Promise<Outcome> {
  const { database, email, unverified } = options
  const address = literal(email)
  const { standing: standingOf, grant: grantTo } = project.operator.owner
  const read = async () => {
    const [standing] = await database.ask(standingOf(address))
    return Standing.optional().parse(standing)
  }
  const before = obstacle(await read(), unverified)
  if (before !== undefined) return before
  const lost = await database
    .ask(grantTo({ email: address, unverified }).join(";\n"))
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
