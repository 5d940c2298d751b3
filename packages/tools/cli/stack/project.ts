import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"

import { account } from "@accounts-stack/local/seed"
import { parseDocument } from "yaml"
import * as z from "zod"

import { Failure } from "../../base/failure.ts"
import { root } from "../../base/root.ts"
import type { DeployedZone } from "../../deploy/release/routes.ts"
import { physicalName } from "../../environment/environment.ts"
import { project } from "../../environment/project/own-project.ts"
import {
  readStack,
  type Stack,
  parseStackFile,
  readConfiguration,
  readStackFile,
} from "../../environment/read.ts"
import { routePatterns } from "../../environment/rules/url.ts"
import { type Rotation, secretRotations } from "../../environment/secrets.ts"
import { committedEnvironments } from "../../environment/subject.ts"

/** A directory with a Pulumi.yaml, and the stack file to use with it. */
export type Project = {
  directory: string
  stack: string
  stackFile: string
  /** URL of Cloudflare's API, from the stack file. */
  baseUrl: string
  accountId: string
  /** Undefined on workers.dev. */
  zone?: DeployedZone | undefined
  /** The provider that encrypts the secrets of a new stack; undefined if the stack file names none. */
  secretsProvider?: string | undefined
}

/** Values by key that override a stack file. */
export type Overrides = Record<string, string>

/** Returns the checkout itself as the project, as the `pulumi` command uses it. */
export function checkoutProject(stack: string): Project {
  const stackFile = join(root, "environments", `Pulumi.${stack}.yaml`)
  const label = `environments/Pulumi.${stack}.yaml`
  const neighbours = committedEnvironments()
  const read = readStackFile({ path: stackFile, name: stack, label, neighbours })
  const { secretsprovider: secretsProvider } = parseStackFile(stackFile, label)
  return { directory: root, stack, stackFile, ...placeOf(read), secretsProvider }
}

/**
 * Writes a project under the state directory that runs the checkout's program with other values:
 * committed stack files must not change. Each call overwrites it; the stack itself is in the backend.
 */
export function generateProject(options: {
  state: string
  stack: string
  /** Stack file or template to copy. */
  template: string
  overrides: Overrides
}): Project {
  const { state, stack, template, overrides } = options
  const directory = resolve(state, "projects", stack)
  const stackFile = join(directory, `Pulumi.${stack}.yaml`)
  const configuration = { ...readConfiguration(template, template), ...overrides }
  const read = readStack({ name: stack, file: template, path: template, configuration })
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  write(join(directory, "Pulumi.yaml"), projectFile())
  write(stackFile, overriddenStackFile({ template, overrides, stackFile }))
  const { secretsprovider: secretsProvider } = parseStackFile(template, template)
  return { directory, stack, stackFile, ...placeOf(read), secretsProvider }
}

function placeOf({ baseUrl, environment }: Stack) {
  const { accountId, zone: name, zoneId: id } = environment
  const hasRoutes = routePatterns(environment).length > 0
  return { baseUrl, accountId, ...(name !== undefined && { zone: { name, id, hasRoutes } }) }
}

/** Returns the checkout's Pulumi.yaml for another directory, with stack files beside it. */
export function projectFile({ runtime = true }: { runtime?: boolean } = {}): string {
  const document = parseDocument(readFileSync(join(root, "Pulumi.yaml"), "utf8"))
  document.set("main", join(root, "infra", "main.js"))
  document.set("stackConfigDir", ".")
  document.setIn(["plugins", "providers", 0, "path"], join(root, "packages", "tools", "deploy"))
  if (!runtime) document.delete("runtime")
  return document.toString()
}

function overriddenStackFile(options: {
  template: string
  overrides: Overrides
  stackFile: string
}): string {
  const { template, overrides, stackFile } = options
  const document = parseDocument(readFileSync(template, "utf8"))
  document.commentBefore = ` Generated from ${template}: change that file instead.`
  for (const [key, value] of Object.entries(overrides)) document.setIn(["config", key], value)
  // Pulumi created the salt with the stack; without it the stack's secrets are lost. A stack with a
  // secrets provider needs no salt in its file: its state still has the salt.
  const salt =
    existsSync(stackFile) && !document.has("secretsprovider")
      ? parseDocument(readFileSync(stackFile, "utf8")).get("encryptionsalt")
      : undefined
  if (salt && !document.has("encryptionsalt")) document.set("encryptionsalt", salt)
  return document.toString()
}

function write(path: string, content: string): void {
  if (existsSync(path) && readFileSync(path, "utf8") === content) return
  writeFileSync(`${path}.${process.pid}`, content, { mode: 0o600 })
  renameSync(`${path}.${process.pid}`, path)
}

/** Zone of the local Cloudflare, which no name server resolves. */
const zone = "accounts.test"

/** Keys that a rehearsal leaves out: they name external services, or only the environment's key decrypts them. */
const leftOut = [
  "mailUrl",
  "paymentUrl",
  "identityProviders",
  "turnstile",
  "trialHeaders",
  "accept",
  // If it is off, the remaining sign-in method needs a provider.
  "password",
]

const Secrets = z.record(z.string(), z.string())
type Secrets = z.infer<typeof Secrets>

type Config = Record<string, unknown>

/**
 * Writes a stack file to try a permanent environment on this machine under its own hosts: with its rules,
 * protection, cookies and release, without external services. Secrets are kept between runs, and rotated if
 * the committed file has a rotation. A renamed stack with the same accounts:name keeps its hosts and secrets.
 * @returns the path of the file
 * @throws Failure USAGE if there is no such environment
 */
export function writeRehearsal(stack: string, state: string): string {
  const committed = join(root, "environments", `Pulumi.${stack}.yaml`)
  if (!existsSync(committed)) {
    throw new Failure(
      "USAGE",
      `There is no environments/Pulumi.${stack}.yaml, and no preview ${stack}.`,
    )
  }
  const { config } = parseStackFile(committed, `environments/Pulumi.${stack}.yaml`)
  const path = rehearsalPath(stack, config, state)
  const written = toRehearse(stack, withRotations(config, path), secretsIn(path))
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  // JSON is valid YAML and quotes every string: some YAML readers parse an unquoted time as a date.
  writeFileSync(path, JSON.stringify({ config: written }, null, 2), { mode: 0o600 })
  return path
}

function rehearsalPath(stack: string, config: Config, state: string): string {
  return join(state, "rehearsals", `${workerOf(stack, config)}.yaml`)
}

/** Returns the path of the file that a rotation in the trial writes; deleting the file ends the rotation. */
function rotationPath(path: string, name: string): string {
  return path.replace(/yaml$/, `${name}.json`)
}

function withRotations(config: Config, path: string): Config {
  const files = secretRotations.map(({ name }) => rotationPath(path, name)).filter(existsSync)
  const added = files.map((file) => Added.parse(JSON.parse(readFileSync(file, "utf8"))))
  const secrets = added.map(({ previous }) => ({ [previous]: "the one before" }))
  const times = added.map(({ key, from }) => ({ [key]: from }))
  const sealed = Object.assign({}, config["accounts:secrets"], ...secrets)
  return Object.assign({}, config, ...times, { "accounts:secrets": sealed })
}

const Added = z.object({ previous: z.string(), key: z.string(), from: z.iso.datetime() })

/**
 * Rotates a secret in the local trial only: the next `up --local` has a new value and keeps the previous value.
 * @returns the file whose removal ends the rotation
 */
export function rotateRehearsal(stack: string, state: string, rotation: Rotation, from: Date) {
  const { config } = parseStackFile(writeRehearsal(stack, state), stack)
  const { name, previous, key } = rotation
  const has = z.looseObject({ [name]: z.string() }).safeParse(config["accounts:secrets"]).success
  const file = rotationPath(rehearsalPath(stack, config, state), name)
  if (!has || config[`accounts:${key}`] !== undefined) {
    const why = has
      ? `was rotated already. End that: ${existsSync(file) ? `rm ${file}` : "in its stack file"}`
      : "is not among its secrets"
    throw new Failure("COMMAND_FAILED", `${name} of the trial of ${stack} ${why}.`)
  }
  const time = from.toISOString().replace(".000Z", "Z")
  const added = { previous, key: `accounts:${key}`, from: time } satisfies z.infer<typeof Added>
  writeFileSync(file, JSON.stringify(added), { mode: 0o600 })
  return file
}

function workerOf(stack: string, config: Config) {
  return physicalName(stack, { name: z.string().optional().parse(config["accounts:name"]) })
}

/**
 * Makes the stack file of a rehearsal.
 * @param secrets the secrets of the previous run
 */
export function toRehearse(stack: string, config: Config, secrets: Secrets): Config {
  const zoneBefore = z.string().default(zone).parse(config["accounts:zone"])
  const moved: Config = JSON.parse(
    JSON.stringify(config).replaceAll(zoneBefore, `${workerOf(stack, config)}.${zone}`),
  )
  const stays = Object.entries(moved).filter(
    ([key]) => !leftOut.some((name) => key === `accounts:${name}`),
  )
  return {
    ...Object.fromEntries(stays),
    "accounts:fixture": true,
    "accounts:accountId": account.id,
    "accounts:zone": zone,
    // E-mails are stored in the database, so codes and invitations can be tried without an inbox.
    "accounts:keepMail": true,
    "accounts:verifyEmail": false,
    "accounts:secrets": secretsFor(config, secrets),
  }
}

/** Generates the secrets that a preview would generate: AUTH_SECRET, and others that the stack file has. */
function secretsFor(config: Config, secrets: Secrets): Secrets {
  const sealed = Object(config["accounts:secrets"])
  const names = Object.entries(project.generated)
    .filter(([, { made }]) => made === "unless permanent")
    .map(([name]) => name)
    .filter((name) => name === "AUTH_SECRET" || name in sealed)
  return Object.assign({}, ...names.map((name) => secretFor(name, { sealed, stored: secrets })))
}

/**
 * Returns a secret, and its previous value if the stack file has one. The rehearsal's secret is rotated only once.
 */
function secretFor(name: string, { sealed, stored }: { sealed: object; stored: Secrets }): Secrets {
  const previousName = `${name}_PREVIOUS`
  const { [name]: current = draw(), [previousName]: previous } = stored
  if (!(previousName in sealed)) return { [name]: current }
  if (previous !== undefined) return { [name]: current, [previousName]: previous }
  return { [name]: draw(), [previousName]: current }
}

function draw() {
  return randomBytes(32).toString("hex")
}

function secretsIn(path: string): Secrets {
  if (!existsSync(path)) return {}
  return Secrets.catch({}).parse(parseStackFile(path, path).config["accounts:secrets"])
}
