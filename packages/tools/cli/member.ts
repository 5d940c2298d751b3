import { Command } from "commander"

import { counted } from "../base/counted.ts"
import { Failure, isFailure } from "../base/failure.ts"
import { stackCommand, type StackFlags } from "./command-options.ts"
import { paint, print, say } from "./output.ts"
import type { DeployedStack, Site } from "./stack/deployed-stack.ts"

/** Parses the address, opens the stack and runs `act`. A failure of the database names the stack. */
async function onMember<Result>(
  { stack, ...options }: StackFlags,
  address: string | undefined,
  act: (
    work: typeof import("../operate/member.ts"),
    deployed: DeployedStack,
    email: string,
  ) => Promise<Result>,
  site?: Site,
): Promise<Result> {
  const work = await import("../operate/member.ts")
  const { openDeployedStack } = await import("./stack/deployed-stack.ts")
  const email = address === undefined ? "" : work.readEmail(address)
  await using deployed = await openDeployedStack({ ...options, stack }, site)
  return await act(work, deployed, email).catch((cause: unknown) => {
    if (!isFailure(cause, "API_FAILED")) throw cause
    const message = `The database of ${stack} cannot be used: ${cause.message}`
    throw new Failure("COMMAND_FAILED", message, { cause })
  })
}

const signOut = stackCommand("sign-out")
  .argument("<email>", "the address of the user")
  .description("end every session of a user and remove the password, until it is reset by e-mail")
  .action(async (address: string, options: StackFlags) => {
    const { stack, json } = options
    await onMember(options, address, async (work, { database }, email) => {
      const providers = await work.signOut(database, email)
      if (json) print(JSON.stringify({ stack, email, providers: providers?.split(", ") ?? [] }))
      say(
        `${paint.green("✓")} ${email} has no session, no password and no passkey in ${stack} any more.`,
      )
      say(
        `  What lets in again: a password reset${providers === null ? "" : `, and ${providers}`}.`,
      )
    })
  })

const resetFactor = stackCommand("reset-factor")
  .argument("<email>", "the address of the user")
  .description("take the second factor off an account whose app and recovery codes are lost")
  .action(async (address: string, options: StackFlags) => {
    const { stack, json } = options
    await onMember(options, address, async (work, { database }, email) => {
      const had = await work.resetFactor(database, email)
      if (json) print(JSON.stringify({ stack, email, had }))
      if (!had) return say(`${email} has no second factor in ${stack}. Nothing was changed.`)
      say(`${paint.green("✓")} ${email} is asked for no second factor in ${stack} any more.`)
      say("  Every session has ended; a password or a provider lets in alone.")
    })
  })

const grant = stackCommand("grant")
  .argument("<email>", "the address that the user signed up with")
  .description("make a user the first owner of an environment")
  .option(
    "--unverified",
    "skip the e-mail verification check (never allowed in staging or production)",
  )
  .action(async (address: string, options: StackFlags & { unverified: boolean }) => {
    const { stack, json, unverified } = options
    const { readSite } = await import("./stack/deployed-stack.ts")
    const { permanent } = await import("../environment/stack-keys.ts")
    const { readEmail } = await import("../operate/member.ts")
    readEmail(address)
    const site = readSite(options)
    if (unverified && permanent(site)) {
      const message = `${stack} is a permanent environment: an owner there needs a verified address. Leave out --unverified.`
      throw new Failure("USAGE", message)
    }
    const act: Parameters<typeof onMember>[2] = async (work, { database }, email) => {
      const outcome = await work.grantOwner({ database, email, unverified })
      if (json) print(JSON.stringify({ stack, email, outcome }))
      const otherwise = permanent(site) ? "" : ", or add --unverified"
      const message = work.describeOutcome(outcome, { email, stack, otherwise })
      if (outcome !== "granted" && outcome !== "already_owner") {
        throw new Failure("COMMAND_FAILED", message)
      }
      say(`${paint.green("✓")} ${message}`)
    }
    await onMember(options, address, act, site)
  })

/**
 * Counts the accounts that a stack would lock out without passwords, or restrict without a second factor. A plan
 * cannot show this, because it does not read members' rows.
 */
const ways = stackCommand("ways")
  .description(
    "count whom accounts:password: off, or the loss of a provider, would keep out, and whom accounts:requireSecondFactor would hold",
  )
  .action(async (options: StackFlags) => {
    const { stack, json } = options
    const { readSite } = await import("./stack/deployed-stack.ts")
    const site = readSite(options)
    const { providers, emailCode } = site
    const act: Parameters<typeof onMember>[2] = async (work, { database }) => {
      const counts = await work.countWays(database, site)
      if (json) return print(JSON.stringify({ stack, providers, emailCode, ...counts }))
      const providerNames = providers.length === 0 ? "no identity provider" : providers.join(", ")
      const { ownersWithoutFactor: owners, adminsWithoutFactor: admins } = counts
      const lines = [
        `${stack} has ${providerNames}, and ${counted(counts.accounts, "account")}:`,
        `  ${counts.withProvider} with an identity there`,
        ...(site.passkeys ? [`  ${counts.withPasskey} with a passkey`] : []),
        `  ${counts.passwordAlone} with a password alone (owners: ${counts.ownersWithPasswordAlone}): ${emailCode ? "a code by e-mail lets them in" : "accounts:password: off keeps them out"}`,
        `  ${counts.neither} with neither: ${emailCode ? "a code by e-mail is their only sign-in method" : "no sign-in method is left"}`,
        `${counted(owners, "owner")}, ${counted(admins, "admin")} and ${counted(counts.membersWithoutFactor, "member")} without a second factor: accounts:requireSecondFactor would hold them until they turn one on`,
        "A provider that is trusted for an address (emailDomains) still lets its owner in.",
      ]
      say(lines.join("\n"))
    }
    await onMember(options, undefined, act, site)
  })

export const memberGroup = new Command("member")
  .description("users who have lost their account to an intruder, or with a device")
  .addCommand(signOut)
  .addCommand(resetFactor)

export const ownerGroup = new Command("owner")
  .description("users who can make others owner or admin")
  .addCommand(grant)

export const accountGroup = new Command("account")
  .description("how people get into their accounts")
  .addCommand(ways)
