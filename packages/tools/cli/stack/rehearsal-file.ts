import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { account } from "@accounts-stack/local/seed"
import * as z from "zod"

import { Failure } from "../../base/failure.ts"
import { root } from "../../base/root.ts"
import { physicalName } from "../../environment/environment.ts"
import { project } from "../../environment/project/own-project.ts"
import { parseStackFile } from "../../environment/stack-file.ts"

/** A zone of the local Cloudflare that no name server knows. */
const zone = "accounts.test"

/** What a service of others is called by, and what only the environment's own key opens. */
const left = [
  "mailUrl",
  "paymentUrl",
  "identityProviders",
  "turnstile",
  "trialHeaders",
  "accept",
  // Off, it leaves a way in that hangs on a provider.
  "password",
]

const Secrets = z.record(z.string(), z.string())
type Secrets = z.infer<typeof Secrets>

type Config = Record<string, unknown>

/**
 * The stack file of a permanent environment, to be tried on this machine under hosts of its own: with its rules,
 * protection, cookies and release, without the services that it calls. Its secrets are kept from one run to
 * the next, and rotated where the file says that its own were. A stack that is renamed keeps its hosts and secrets, as
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
  const worker = workerOf(stack, config)
  const path = join(directory, `${worker}.yaml`)
  const written = toRehearse(stack, config, secretsIn(path))
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  // As JSON, which is YAML: some of its readers take a time without quotes for something else than text.
  writeFileSync(path, JSON.stringify({ config: written }, null, 2), { mode: 0o600 })
  return path
}

function workerOf(stack: string, config: Config) {
  return physicalName(stack, { name: z.string().optional().parse(config["accounts:name"]) })
}

/**
 * What the file of a rehearsal says.
 * @param kept the secrets of the run before
 */
export function toRehearse(stack: string, config: Config, kept: Secrets): Config {
  const former = z.string().default(zone).parse(config["accounts:zone"])
  const moved: Config = JSON.parse(
    JSON.stringify(config).replaceAll(former, `${workerOf(stack, config)}.${zone}`),
  )
  const stays = Object.entries(moved).filter(
    ([key]) => !left.some((name) => key === `accounts:${name}`),
  )
  return {
    ...Object.fromEntries(stays),
    "accounts:fixture": true,
    "accounts:accountId": account.id,
    "accounts:zone": zone,
    // Letters are kept in its database, so that codes and invitations can be tried, and nobody has to read one.
    "accounts:keepMail": true,
    "accounts:verifyEmail": false,
    "accounts:secrets": secretsFor(config, kept),
  }
}

/** One of its own for each that a preview would have made, where the file has it, or has to have it. */
function secretsFor(config: Config, kept: Secrets): Secrets {
  const sealed = Object(config["accounts:secrets"])
  const names = Object.entries(project.generated)
    .filter(([, { made }]) => made === "unless permanent")
    .map(([name]) => name)
    .filter((name) => name === "AUTH_SECRET" || name in sealed)
  return Object.assign({}, ...names.map((name) => secretFor(name, { sealed, kept })))
}

/** With the one before, where the file has that: its own are rotated then, and kept once they are. */
function secretFor(name: string, { sealed, kept }: { sealed: object; kept: Secrets }): Secrets {
  const former = `${name}_PREVIOUS`
  const { [name]: current = draw(), [former]: previous } = kept
  if (!(former in sealed)) return { [name]: current }
  if (previous !== undefined) return { [name]: current, [former]: previous }
  return { [name]: draw(), [former]: current }
}

function draw() {
  return randomBytes(32).toString("hex")
}

function secretsIn(path: string): Secrets {
  if (!existsSync(path)) return {}
  return Secrets.catch({}).parse(parseStackFile(path, path).config["accounts:secrets"])
}
