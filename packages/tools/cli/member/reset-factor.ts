import type { Database } from "@accounts-stack/d1-migrations/d1"
import { literal } from "@accounts-stack/d1-migrations/files"
import * as z from "zod"

import { Failure } from "../../base/failure.ts"
import { project } from "../../environment/project/own-project.ts"
import { paint, print, say } from "../output.ts"
import { ifLost } from "../owner/first-owner.ts"
import { explainApiErrors, readEmail } from "../owner/grant-owner.ts"
import { openDeployedStack, type StackOptions } from "../stack/deployed-stack.ts"

const Standing = z.object({ isOn: z.int() })

/** Returns whether there was a second factor. What is read afterwards decides: an answer may be lost. */
export async function resetFactor(database: Database, email: string): Promise<boolean> {
  const { standing, takeOff } = project.operator.secondFactor
  const address = literal(email)
  const read = async () => Standing.optional().parse((await database.ask(standing(address)))[0])
  const before = await read()
  if (before === undefined) throw new Failure("COMMAND_FAILED", `There is no user ${email}.`)
  if (before.isOn === 0) return false
  const sent = database.ask(takeOff(address).join(";\n"))
  const cause = await sent.then(() => undefined, ifLost)
  const after = await read()
  if (after?.isOn === 1) {
    const reason = "the change was rejected or is still being made"
    throw new Failure(
      "COMMAND_FAILED",
      `The account of ${email} still asks for a second factor: ${reason}. Run this again.`,
      { cause },
    )
  }
  return true
}

/** Takes the second factor off an account whose app and recovery codes are lost, and ends its sessions. */
export async function resetMembersFactor(
  address: string,
  options: StackOptions & { json: boolean },
) {
  const { stack, json } = options
  const email = readEmail(address)
  await using deployed = await openDeployedStack(options)
  const had = await explainApiErrors(stack, () => resetFactor(deployed.database, email))
  if (json) print(JSON.stringify({ stack, email, had }))
  if (had) {
    say(`${paint.green("✓")} ${email} is asked for no second factor in ${stack} any more.`)
    say("  Every session has ended; a password or a provider lets in alone.")
  } else {
    say(`${email} has no second factor in ${stack}. Nothing was changed.`)
  }
}
