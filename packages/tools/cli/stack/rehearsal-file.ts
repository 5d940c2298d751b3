import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { account } from "@accounts-stack/local/seed"
import { stringify } from "yaml"
import * as z from "zod"

import { Failure } from "../../base/failure.ts"
import { root } from "../../base/root.ts"
import { parseStackFile } from "../../environment/stack-file.ts"

/** A zone of the local Cloudflare that no name server knows. */
const zone = "accounts.test"

/** What a service of others is called by, and what only the environment's own key opens. */
const left = ["mailUrl", "paymentUrl", "identityProviders", "trialHeaders", "accept"]

const Secrets = z.object({ "accounts:secrets": z.object({ AUTH_SECRET: z.string() }) })

/**
 * The stack file of a permanent environment, to be tried on this machine under hosts of its own: with its rules,
 * protection, cookies and release, without the services that it calls. Its secret is kept from one run to the next.
 * @returns where it was written
 * @throws Failure USAGE where there is no such environment
 */
export function writeRehearsal(stack: string, state: string): string {
  const committed = join(root, "environments", `Pulumi.${stack}.yaml`)
  if (!existsSync(committed)) {
    throw new Failure(
      "USAGE",
      `There is no environments/Pulumi.${stack}.yaml, and no preview ${stack}.`,
    )
  }
  const directory = join(state, "rehearsals")
  const path = join(directory, `Pulumi.${stack}.yaml`)
  const { config } = parseStackFile(committed, `environments/Pulumi.${stack}.yaml`)
  const former = z.string().default(zone).parse(config["accounts:zone"])
  const moved = JSON.parse(JSON.stringify(config).replaceAll(former, `${stack}.${zone}`))
  const kept = Object.entries(moved).filter(
    ([key]) => !left.some((name) => key === `accounts:${name}`),
  )
  const written = {
    ...Object.fromEntries(kept),
    "accounts:fixture": true,
    "accounts:accountId": account.id,
    "accounts:zone": zone,
    // Nobody would read the letter.
    "accounts:verifyEmail": false,
    "accounts:secrets": { AUTH_SECRET: secretIn(path) ?? randomBytes(32).toString("hex") },
  }
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  writeFileSync(path, stringify({ config: written }), { mode: 0o600 })
  return path
}

function secretIn(path: string): string | undefined {
  if (!existsSync(path)) return undefined
  return Secrets.safeParse(parseStackFile(path, path).config).data?.["accounts:secrets"].AUTH_SECRET
}
