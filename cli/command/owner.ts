import { existsSync } from "node:fs"
import { join } from "node:path"

import * as z from "zod"

import { isFailure } from "../../failure.ts"
import { Environment, permanent } from "../../infra/environment/environment.ts"
import { invalidEnvironment } from "../../infra/environment/read.ts"
import { cloudflareApi } from "../../infra/environment/rules.ts"
import { parseStackFile } from "../../infra/environment/stack-file.ts"
import { BaseUrl, createApi } from "../../provider/api.ts"
import { openDatabase, type Database } from "../../provider/migrations/database.ts"
import { root } from "../../root.ts"
import { Failure, paint, print, say } from "../output.ts"
import { bringUp } from "../process/local-cloudflare.ts"
import { openBackend, readingEngine } from "../stack/backend.ts"
import type { LocalOptions } from "../stack/local-stack.ts"
import { remoteEngine } from "../stack/remote-stack.ts"

type OwnerOptions = LocalOptions & {
  stack: string
  /** A preview on this machine; the stack `local` always is. */
  local: boolean
  /** Do not ask for a verified address; only where nothing is permanent. */
  unverified: boolean
  json: boolean
}

type Outcome = "granted" | "already_owner" | "other_owner" | "unknown_user" | "unverified"

/** As sign-up keeps addresses. */
const Email = z.string().trim().toLowerCase().pipe(z.email())

/** Makes a user the first owner of a stack. Whoever may write to its database may do that. */
export async function grantOwner(address: string, options: OwnerOptions): Promise<void> {
  const { stack, json, unverified } = options
  const { data: email } = Email.safeParse(address)
  if (email === undefined) {
    throw new Failure(`${address} is not an e-mail address.`, { exitCode: 2 })
  }
  const site = readSite(options)
  if (unverified && permanent(site)) {
    throw new Failure(
      `${stack} is a permanent environment: an owner there needs a verified address. Leave out --unverified.`,
      { exitCode: 2 },
    )
  }
  await using database = await openStackDatabase(site, options)
  const outcome = await reachable(stack, () => grant({ database, email, unverified }))
  if (json) print(JSON.stringify({ stack, email, outcome }))
  const message = tell(outcome, { email, stack, site })
  if (outcome !== "granted" && outcome !== "already_owner") throw new Failure(message)
  say(`${paint.green("✓")} ${message}`)
}

function tell(
  outcome: Outcome,
  { email, stack, site }: { email: string; stack: string; site: Site },
): string {
  const otherwise = permanent(site) ? "" : ", or add --unverified"
  const messages: Record<Outcome, string> = {
    granted: `${email} is the owner of ${stack} now.`,
    already_owner: `${email} is an owner of ${stack} already: nothing was changed.`,
    other_owner: `${stack} has an owner already. Only an owner makes another: POST /api/v1/changeRole.`,
    unknown_user: `${stack} has no user ${email}: sign up there first.`,
    unverified: `${email} is not verified in ${stack}: open the link of the verification mail first${otherwise}.`,
  }
  return messages[outcome]
}

const noOwner = "NOT EXISTS (SELECT 1 FROM user WHERE role <> 'member' AND role = 'owner')"

type Grant = { email: string; unverified: boolean }

/** Does nothing the second time. Without `role <> 'member'` SQLite would not use the index of roles. */
export function grantStatement({ email, unverified }: Grant) {
  return `UPDATE user SET role = 'owner', updated_at = CAST(unixepoch('subsec') * 1000 AS INTEGER)
WHERE email = ${literal(email)}${unverified ? "" : " AND email_verified = 1"} AND ${noOwner}`
}

export function standingStatement(email: string) {
  return `SELECT role = 'owner' AS owns, email_verified AS verified, NOT (${noOwner}) AS owned
FROM user WHERE email = ${literal(email)}`
}

/** SQLite says 0 and 1. */
const Flag = z.int().min(0).max(1).transform(Boolean)
const Standing = z.object({ owns: Flag, verified: Flag, owned: Flag })

/** The role as it is read afterwards decides: the statement's own answer may be lost. */
export async function grant(options: Grant & { database: Database }): Promise<Outcome> {
  const { database, email, unverified } = options
  const read = async () => {
    const [standing] = await database.ask(standingStatement(email))
    return Standing.optional().parse(standing)
  }
  const before = judge(await read(), unverified)
  if (before !== undefined) return before
  const lost = await database
    .ask(grantStatement({ email, unverified }))
    .then(() => undefined, ifLost)
  const after = judge(await read(), unverified)
  if (after !== undefined) return after === "already_owner" ? "granted" : after
  throw new Failure(
    `${email} is no owner yet, and whether that was refused or is still under way is not known. Run this again.`,
    { cause: lost },
  )
}

/** What keeps a user from being made the first owner; undefined when nothing does. */
function judge(
  standing: z.infer<typeof Standing> | undefined,
  unverified: boolean,
): Exclude<Outcome, "granted"> | undefined {
  if (standing?.owns) return "already_owner"
  if (standing?.owned) return "other_owner"
  if (standing === undefined) return "unknown_user"
  return standing.verified || unverified ? undefined : "unverified"
}

function ifLost(error: unknown): Error {
  if (isFailure(error, "API_FAILED") && error.facts.lost) return error
  throw error
}

/** What the database or Cloudflare refuses is the operator's to mend. */
async function reachable<Result>(stack: string, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act()
  } catch (error) {
    if (!isFailure(error, "API_FAILED")) throw error
    throw new Failure(`The database of ${stack} cannot be used: ${error.message}`, { cause: error })
  }
}

/** Where the database of a stack is, and by whose rules. */
const Site = z
  .looseObject({
    "accounts:environment": Environment.shape.environment,
    "accounts:accountId": Environment.shape.accountId,
    "cloudflare:baseUrl": BaseUrl.default(cloudflareApi),
  })
  .transform((config) => ({
    environment: config["accounts:environment"],
    accountId: config["accounts:accountId"],
    baseUrl: config["cloudflare:baseUrl"],
  }))
type Site = z.infer<typeof Site>

function readSite(options: OwnerOptions): Site {
  const path = stackFile(options)
  const { data, error } = Site.safeParse(parseStackFile(path, path).config)
  if (data) return data
  const problems = error.issues.map(({ path: at, message }) => ({ key: at.join("."), message }))
  throw invalidEnvironment(path, problems)
}

/** A preview has a generated file where it was brought up, and elsewhere only its template. */
function stackFile({ stack, local, state }: OwnerOptions): string {
  const committed = join(root, "environments", `Pulumi.${stack}.yaml`)
  const generated = join(state, "projects", stack, `Pulumi.${stack}.yaml`)
  if (stack !== "local" && local) {
    if (existsSync(generated)) return generated
    throw new Failure(
      `There is no stack ${stack} on this machine. ./accounts preview list --local names the previews.`,
    )
  }
  const template = join(root, "environments", "preview.yaml")
  const candidates = stack.startsWith("preview-") ? [generated, template] : [committed]
  const found = candidates.find((path) => existsSync(path))
  if (found) return found
  throw new Failure(`There is no stack ${stack}: environments/Pulumi.${stack}.yaml does not exist.`)
}

async function openStackDatabase(
  site: Site,
  options: OwnerOptions,
): Promise<Database & AsyncDisposable> {
  const here = options.stack === "local" || options.local
  const databaseId = await readDatabaseId(options, here)
  if (!here) {
    const token = process.env["CLOUDFLARE_API_TOKEN"] ?? ""
    const api = createApi({ baseUrl: site.baseUrl, token })
    const database = openDatabase({ api, accountId: site.accountId, databaseId })
    return { ...database, [Symbol.asyncDispose]: async () => {} }
  }
  const cloudflare = await bringUp(options)
  const { api: baseUrl, token, accountId } = cloudflare
  const database = openDatabase({ api: createApi({ baseUrl, token }), accountId, databaseId })
  return { ...database, [Symbol.asyncDispose]: () => cloudflare.stop() }
}

/** From the backend, without opening the stack: that would make a missing one. */
async function readDatabaseId(options: OwnerOptions, here: boolean): Promise<string> {
  const { stack } = options
  const engine = here ? await readingEngine(options) : await remoteEngine(options.engine)
  const backend = await openBackend(engine)
  const known = (await backend.listStacks()).some(({ name }) => name === stack)
  const { databaseId } = known ? await backend.stackOutputs(stack) : {}
  if (databaseId) return z.string().parse(databaseId.value)
  const preview = stack.startsWith("preview-") ? "./accounts preview up" : `pulumi up -s ${stack}`
  const remedy = stack === "local" ? "npm start" : preview
  throw new Failure(`The stack ${stack} is not deployed: ${remedy} brings it up.`)
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
