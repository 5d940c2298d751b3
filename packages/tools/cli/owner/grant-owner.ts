import * as z from "zod"

import { Failure, isFailure } from "../../base/failure.ts"
import { project } from "../../environment/project/own-project.ts"
import { permanent } from "../../environment/stack-keys.ts"
import { paint, print, say } from "../output.ts"
import {
  openDeployedStack,
  readSite,
  type Site,
  type StackOptions,
} from "../stack/deployed-stack.ts"
import { grant, type Outcome } from "./first-owner.ts"

type Options = StackOptions & {
  /** Skips the e-mail verification check; rejected for permanent environments. */
  unverified: boolean
  json: boolean
}

/** An address in the form in which sign-up stores it. */
export function readEmail(address: string): string {
  const { data } = z.string().trim().toLowerCase().pipe(z.email()).safeParse(address)
  if (data === undefined) throw new Failure("USAGE", `${address} is not an e-mail address.`)
  return data
}

/** Makes a user the first owner of a stack. This takes the right to write to its database. */
export async function grantOwner(address: string, options: Options): Promise<void> {
  const { stack, json, unverified } = options
  const email = readEmail(address)
  const site = readSite(options)
  if (unverified && permanent(site)) {
    throw new Failure(
      "USAGE",
      `${stack} is a permanent environment: an owner there needs a verified address. Leave out --unverified.`,
    )
  }
  await using deployed = await openDeployedStack(options, site)
  const { database } = deployed
  const outcome = await explainApiErrors(stack, () => grant({ database, email, unverified }))
  if (json) print(JSON.stringify({ stack, email, outcome }))
  const message = describe(outcome, { email, stack, site })
  if (outcome !== "granted" && outcome !== "already_owner") {
    throw new Failure("COMMAND_FAILED", message)
  }
  say(`${paint.green("✓")} ${message}`)
}

function describe(
  outcome: Outcome,
  { email, stack, site }: { email: string; stack: string; site: Site },
): string {
  const otherwise = permanent(site) ? "" : ", or add --unverified"
  const messages: Record<Outcome, string> = {
    granted: `${email} is now the owner of ${stack}.`,
    already_owner: `${email} is already an owner of ${stack}: nothing was changed.`,
    other_owner: `${stack} already has an owner. Only an owner can make another: POST ${project.paths.changeRole}.`,
    unknown_user: `${stack} has no user ${email}: sign up there first.`,
    unverified: `${email} is not verified in ${stack}: open the link in the verification e-mail first${otherwise}.`,
  }
  return messages[outcome]
}

export async function explainApiErrors<Result>(
  stack: string,
  act: () => Promise<Result>,
): Promise<Result> {
  try {
    return await act()
  } catch (error) {
    if (!isFailure(error, "API_FAILED")) throw error
    throw new Failure(
      "COMMAND_FAILED",
      `The database of ${stack} cannot be used: ${error.message}`,
      { cause: error },
    )
  }
}
