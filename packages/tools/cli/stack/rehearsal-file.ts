import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { account } from "@accounts-stack/local/seed"
import * as z from "zod"

import { Failure } from "../../base/failure.ts"
import { root } from "../../base/root.ts"
import { physicalName } from "../../environment/environment.ts"
import { parseStackFile } from "../../environment/stack-file.ts"

/** A zone of the local Cloudflare that no name server knows. */
const zone = "accounts.test"

/** What a service of others is called by, and what only the environment's own key opens. */
const left = ["mailUrl", "paymentUrl", "identityProviders", "trialHeaders", "accept"]

const Secrets = z.object({
  AUTH_SECRET: z.string(),
  AUTH_SECRET_PREVIOUS: z.string().optional(),
})
type Secrets = z.infer<typeof Secrets>

/**
 * The stack file of a permanent environment, to be tried on this machine under hosts of its own: with its rules,
 * protection, cookies and release, without the services that it calls. Its secret is kept from one run to the
 * next, and rotated where the file says that its own was. A stack that is renamed keeps its hosts and secrets, as
 * it does its name.
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
  const { config } = parseStackFile(committed, `environments/Pulumi.${stack}.yaml`)
  const former = z.string().default(zone).parse(config["accounts:zone"])
  const worker = physicalName(stack, { name: z.string().optional().parse(config["accounts:name"]) })
  const path = join(directory, `${worker}.yaml`)
  const moved = JSON.parse(JSON.stringify(config).replaceAll(former, `${worker}.${zone}`))
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
    "accounts:secrets": secretsFor(config, path),
  }
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  // As JSON, which is YAML: some of its readers take a time without quotes for something else than text.
  writeFileSync(path, JSON.stringify({ config: written }, null, 2), { mode: 0o600 })
  return path
}

function secretsFor(config: Record<string, unknown>, path: string): Secrets {
  const kept = secretsIn(path)
  const { AUTH_SECRET: current, AUTH_SECRET_PREVIOUS: previous } = kept ?? {
    AUTH_SECRET: randomBytes(32).toString("hex"),
  }
  const isRotated = "AUTH_SECRET_PREVIOUS" in Object(config["accounts:secrets"])
  if (!isRotated) return { AUTH_SECRET: current }
  if (previous !== undefined) return { AUTH_SECRET: current, AUTH_SECRET_PREVIOUS: previous }
  return { AUTH_SECRET: randomBytes(32).toString("hex"), AUTH_SECRET_PREVIOUS: current }
}

function secretsIn(path: string): Secrets | undefined {
  if (!existsSync(path)) return undefined
  return Secrets.safeParse(parseStackFile(path, path).config["accounts:secrets"]).data
}
