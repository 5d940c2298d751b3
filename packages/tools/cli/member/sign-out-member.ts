import type { Database } from "@accounts-stack/d1-migrations/d1"
import { literal } from "@accounts-stack/d1-migrations/files"
import * as z from "zod"

import { Failure } from "../../base/failure.ts"
import { project } from "../../environment/project/own-project.ts"
import { paint, print, say } from "../output.ts"
import { ifLost } from "../owner/first-owner.ts"
import { explainApiErrors, readEmail } from "../owner/grant-owner.ts"
import { openDeployedStack, type StackOptions } from "../stack/deployed-stack.ts"

const Access = z.object({
  sessions: z.number(),
  passwords: z.number(),
  passkeys: z.number(),
  /** Identity providers that let somebody in, separated by commas. */
  providers: z.string().nullable(),
})

/** Returns the providers that still let somebody in. What is read afterwards decides: an answer may be lost. */
export async function signOut(database: Database, email: string): Promise<string | null> {
  const { access, end } = project.operator.signOut
  const address = literal(email)
  const read = async () => Access.optional().parse((await database.ask(access(address)))[0])
  const before = await read()
  if (before === undefined) throw new Failure("COMMAND_FAILED", `There is no user ${email}.`)
  const sent = database.ask(end(address).join(";\n"))
  const cause = await sent.then(() => undefined, ifLost)
  const after = await read()
  if (after && after.sessions + after.passwords + after.passkeys > 0) {
    const reason = "the change was rejected, is still being made, or somebody has just signed in"
    throw new Failure("COMMAND_FAILED", `${email} can be signed in: ${reason}. Run this again.`, {
      cause,
    })
  }
  return after?.providers ?? null
}

/** Ends every session of a user and removes the password and passkeys: a reset by e-mail or a provider lets in again. */
export async function signOutMember(address: string, options: StackOptions & { json: boolean }) {
  const { stack, json } = options
  const email = readEmail(address)
  await using deployed = await openDeployedStack(options)
  const providers = await explainApiErrors(stack, () => signOut(deployed.database, email))
  if (json) print(JSON.stringify({ stack, email, providers: providers?.split(", ") ?? [] }))
  say(
    `${paint.green("✓")} ${email} has no session, no password and no passkey in ${stack} any more.`,
  )
  say(`  What lets in again: a password reset${providers === null ? "" : `, and ${providers}`}.`)
}
