import type { Database } from "@accounts-stack/d1-migrations/d1"
import { literal } from "@accounts-stack/d1-migrations/files"
import * as z from "zod"

import { counted } from "../../base/counted.ts"
import { project } from "../../environment/project/own-project.ts"
import { print, say } from "../output.ts"
import { explainApiErrors } from "../owner/grant-owner.ts"
import { openDeployedStack, readSite, type StackOptions } from "../stack/deployed-stack.ts"

const Ways = z.object({
  accounts: z.number(),
  /** Whom nothing but the password lets in. */
  passwordAlone: z.number(),
  ownersWithPasswordAlone: z.number(),
  withProvider: z.number(),
  withPasskey: z.number(),
  /** Nobody gets into them but by an address that a provider is believed about. */
  neither: z.number(),
  /** Whom accounts:requireSecondFactor would hold. */
  ownersWithoutFactor: z.number(),
  adminsWithoutFactor: z.number(),
  membersWithoutFactor: z.number(),
})

type Offered = { providers: string[]; passkeys: boolean }

/** Counts the accounts by what lets somebody in: the providers are those of the stack file. */
async function countWays(database: Database, { providers, passkeys }: Offered) {
  const given = { providers: providers.map(literal), passkeys }
  const [row] = await database.ask(project.operator.ways.count(given))
  return Ways.parse(row)
}

/** Says whom a stack would keep out without passwords, or hold for want of a second factor: the plan of a change cannot know. */
export async function showWays(options: StackOptions & { json: boolean }) {
  const { stack, json } = options
  const site = readSite(options)
  const { providers, emailCode } = site
  await using deployed = await openDeployedStack(options, site)
  const ways = await explainApiErrors(stack, () => countWays(deployed.database, site))
  if (json) return print(JSON.stringify({ stack, providers, emailCode, ...ways }))
  const named = providers.length === 0 ? "no identity provider" : providers.join(", ")
  say(`${stack} has ${named}, and ${counted(ways.accounts, "account")}:`)
  say(`  ${ways.withProvider} with an identity there`)
  if (site.passkeys) say(`  ${ways.withPasskey} with a passkey`)
  say(
    `  ${ways.passwordAlone} with a password alone (owners: ${ways.ownersWithPasswordAlone}): ${emailCode ? "a code by e-mail lets them in" : "accounts:password: off keeps them out"}`,
  )
  say(
    `  ${ways.neither} with neither: ${emailCode ? "a code by e-mail is the only way in" : "nobody gets in as they are"}`,
  )
  const { ownersWithoutFactor: owners, adminsWithoutFactor: admins } = ways
  say(
    `${counted(owners, "owner")}, ${counted(admins, "admin")} and ${counted(ways.membersWithoutFactor, "member")} without a second factor: accounts:requireSecondFactor would hold them until they turn one on`,
  )
  say("A provider that is believed about an address (emailDomains) lets its owner in all the same.")
}
