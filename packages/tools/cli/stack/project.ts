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
  /** Cloudflare's API, as the stack file has it. */
  baseUrl: string
  accountId: string
  /** Undefined on workers.dev. */
  zone?: DeployedZone | undefined
  /** The provider that encrypts the secrets of a new stack, if the stack file has it. */
  secretsProvider?: string | undefined
}

/** Values that replace those of a stack file, by key. */
export type Overrides = Record<string, string>

/** The checkout itself, which the `pulumi` command uses as well. */
export function checkoutProject(stack: string): Project {
  const stackFile = join(root, "environments", `Pulumi.${stack}.yaml`)
  const label = `environments/Pulumi.${stack}.yaml`
  const neighbours = committedEnvironments()
  const read = readStackFile({ path: stackFile, name: stack, label, neighbours })
  const { secretsprovider: secretsProvider } = parseStackFile(stackFile, label)
  return { directory: root, stack, stackFile, ...placeOf(read), secretsProvider }
}

/**
 * Writes a project under the state directory that runs the checkout's program with other values, because
 * committed stack files must not change. It is written again each time; the stack is in the backend.
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

/** The checkout's Pulumi.yaml for another directory, whose stack files lie beside it. */
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
  // Pulumi created the salt with the stack; without it the secrets of the stack are lost. A stack that
  // has another key by now seals them with that one, and its state still knows the salt.
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

/** A zone of the local Cloudflare that no name server knows. */
const zone = "accounts.test"

/** Keys that lead to external services, and those that only the environment's own key opens. */
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
  const { config } = parseStackFile(committed, `environments/Pulumi.${stack}.yaml`)
  const path = rehearsalPath(stack, config, state)
  const written = toRehearse(stack, withRotations(config, path), secretsIn(path))
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  // As JSON, which is YAML: some of its readers take a time without quotes for something else than text.
  writeFileSync(path, JSON.stringify({ config: written }, null, 2), { mode: 0o600 })
  return path
}

function rehearsalPath(stack: string, config: Config, state: string): string {
  return join(state, "rehearsals", `${workerOf(stack, config)}.yaml`)
}

/** File of the addition to the stack file by a rotation in the trial; deleting it ends the rotation. */
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
 * Rotates a secret in the trial of an environment alone: the next `up --local` has another one and keeps the one before.
 * @returns the file to remove at its end
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
 * @param secrets the secrets of the run before
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
    // E-mails are stored in its database, so that codes and invitations can be tried without reading one.
    "accounts:keepMail": true,
    "accounts:verifyEmail": false,
    "accounts:secrets": secretsFor(config, secrets),
  }
}

/** Generates the secrets that a preview would have made, if the file has them, or has to have them. */
function secretsFor(config: Config, secrets: Secrets): Secrets {
  const sealed = Object(config["accounts:secrets"])
  const names = Object.entries(project.generated)
    .filter(([, { made }]) => made === "unless permanent")
    .map(([name]) => name)
    .filter((name) => name === "AUTH_SECRET" || name in sealed)
  return Object.assign({}, ...names.map((name) => secretFor(name, { sealed, stored: secrets })))
}

/**
 * Adds the previous secret, if the file has one: the rehearsal's own is rotated then, and kept once it is.
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
