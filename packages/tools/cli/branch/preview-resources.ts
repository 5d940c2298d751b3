import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { join } from "node:path"

import * as z from "zod"

import { counted } from "../../base/counted.ts"
import { Failure } from "../../base/failure.ts"
import { root } from "../../base/root.ts"
import type { Account, DatabasePlace } from "../../deploy/api.ts"
import { physicalName, templateBranch } from "../../environment/environment.ts"
import { openDatabase, ownNames } from "../../environment/own-names.ts"
import { project } from "../../environment/project/own-project.ts"
import { readStack, readConfiguration } from "../../environment/read.ts"
import { committedEnvironments, readSubject } from "../../environment/subject.ts"
import { openApi } from "../api.ts"
import {
  type ListedDatabase,
  listDatabases,
  readDetails,
  importDump,
} from "../database/d1-account.ts"
import type { StackChoice } from "../local-options.ts"
import { printable, say } from "../output.ts"
import { readIfExists } from "../process/is-alive.ts"
import { findRunning, joinOrStart } from "../process/local-cloudflare.ts"
import { type FoundWorker, listWorkers } from "../repair/unmanaged-resources.ts"
import { shortName } from "./branch-name.ts"
import {
  fillIn,
  previewStackOf,
  previewTemplate,
  repositoryOf,
  tagIn,
  hasStack,
  listPreviews,
} from "./preview-stack.ts"

/** Cron triggers of an account with Workers Paid: https://developers.cloudflare.com/workers/platform/limits/ */
const mostPreviews = 250

/**
 * Checks the account and its token before anything is created. Reading the account's plan needs billing rights,
 * and the right to write shows only at the first write.
 * @throws Failure if the token may not read, or the account has a preview that no stack of this backend knows
 */
export async function checkDatabaseQuota(stack: string, options: StackChoice): Promise<void> {
  await using account = await openPreviewAccount(options)
  const resourcesByStack = await account.resources()
  const resources = resourcesByStack.get(stack)
  const warning = resources === undefined ? quotaWarning(resourcesByStack.size) : undefined
  if (warning !== undefined) say(warning)
  if (resources === undefined || hasStack(await listPreviews(options), stack)) return
  throw new Failure(
    "COMMAND_FAILED",
    `No stack of this backend knows what the account has of ${stack}: ${describeResources(resources)}. Nothing was changed. ` +
      `Delete it with ./accounts branch down ${stack}, or deploy with the backend that knows it.`,
  )
}

/** Only warns: Cloudflare may have raised the limit for an account. */
export function quotaWarning(previews: number): string | undefined {
  if (previews < 0.9 * mostPreviews) return undefined
  return `The account has ${counted(previews, "preview")}, each with a cron trigger, of which Workers Paid allows ${mostPreviews}: see ./accounts branch sweep.`
}

/** The account's resources under the name of a preview, in state or not. */
export type PreviewResources = { worker?: FoundWorker; database?: ListedDatabase }

type PreviewAccount = AsyncDisposable & {
  /** Resources by the stack that they would belong to. */
  resources: () => Promise<Map<string, PreviewResources>>
  doubt: (resources: PreviewResources) => Promise<string | undefined>
  /** Bytes of its database. */
  size: (resources: PreviewResources) => Promise<number | undefined>
  /** Stored e-mails, oldest first; undefined without a database. */
  emails: (resources: PreviewResources | undefined) => Promise<PreviewEmail[] | undefined>
}

type PreviewEmail = { at: string; to: string; subject: string; text: string }

/** Rows as app/service/platform/mail/mail.ts writes them. */
const PreviewEmails = z.array(
  z
    .object({ created_at: z.number(), value: z.string().transform((text) => JSON.parse(text)) })
    .transform(({ created_at, value }) => ({ at: new Date(created_at).toISOString(), ...value }))
    .pipe(z.object({ at: z.string(), to: z.string(), subject: z.string(), text: z.string() })),
)

/**
 * Opens the account of a template. The local account is empty before the local Cloudflare first ran.
 * @param options.onlyRunning treats the local account as empty while the local Cloudflare does not run
 */
export async function openPreviewAccount(
  options: StackChoice & { template?: string | undefined; onlyRunning?: boolean },
): Promise<PreviewAccount> {
  const { local, state, template = previewTemplate(options), onlyRunning = false } = options
  const stack = previewStackOf(templateBranch)
  const configuration = { ...readConfiguration(template, template), ...fillIn(template, stack) }
  const read = readStack({ name: stack, file: template, path: template, configuration })
  const isEmpty = local && !existsSync(join(state, "cloudflare"))
  const here =
    !local || isEmpty ? undefined : await (onlyRunning ? findRunning(state) : joinOrStart(options))
  if (local && here === undefined) {
    return {
      resources: async () => new Map(),
      doubt: async () => undefined,
      size: async () => undefined,
      emails: async () => undefined,
      [Symbol.asyncDispose]: async () => {},
    }
  }
  const { accountId } = read.environment
  const api = openApi(here ? { baseUrl: here.api, token: here.token } : read)
  const account = { api, accountId }
  const form = physicalName(stack, read.environment)
  return {
    resources: () => listPreviewResources(account, form),
    doubt: (resources) => findPreviewDoubt(resources, account),
    size: async ({ database }) =>
      database && (await readDetails({ ...account, databaseId: database.uuid })).file_size,
    emails: async (resources) =>
      resources?.database && (await readEmails(resources.database, account)),
    [Symbol.asyncDispose]: async () => await here?.stop(),
  }
}

/** Lists previews by stack. A committed environment is no preview, even if its name has the template's form. */
async function listPreviewResources(
  account: Account,
  form: string,
): Promise<Map<string, PreviewResources>> {
  const files = committedEnvironments().filter(({ template }) => !template)
  const lasting = new Set(
    files.map((file) => physicalName(file.stack, readSubject(file).environment)),
  )
  const resourcesByStack = new Map<string, PreviewResources>()
  const add = ({ name }: { name: string }, part: PreviewResources) => {
    const stack = lasting.has(name) ? undefined : stackOfName(name, form)
    if (stack !== undefined) {
      resourcesByStack.set(stack, { ...resourcesByStack.get(stack), ...part })
    }
  }
  const [workers, databases] = await Promise.all([listWorkers(account), listDatabases(account)])
  for (const worker of workers) add(worker, { worker })
  for (const database of databases) add(database, { database })
  return resourcesByStack
}

/** Returns the preview stack of a physical name; undefined if the name does not have the template's form. */
export function stackOfName(name: string, form: string): string | undefined {
  const [before = "", after = ""] = form.split(templateBranch)
  const short = name.slice(before.length, name.length - after.length)
  // Shortening a short name changes nothing.
  const isOwnName =
    short !== "" && shortName(short) === short && form.replaceAll(templateBranch, short) === name
  return isOwnName ? previewStackOf(short) : undefined
}

const tag = "environment=preview"

/**
 * Explains why resources with a preview's name may belong to someone else; undefined if nothing
 * suggests it. D1 has no tags, but the first deployment records its migrations.
 */
export async function findPreviewDoubt(
  {
    worker,
    database,
  }: { worker?: Pick<FoundWorker, "tags">; database?: Pick<ListedDatabase, "uuid"> },
  account: Account,
): Promise<string | undefined> {
  if (worker && !worker.tags.includes(tag)) return `its Worker has no tag ${tag}`
  const repository = tagIn(worker?.tags, "repository") ?? repositoryOf()
  if (repository !== repositoryOf()) return `its Worker is of the repository ${repository}`
  if (!database) return undefined
  const opened = openDatabase({ ...account, databaseId: database.uuid })
  const tables = (await opened.allObjects()).filter(({ type }) => type === "table")
  const [table] = tables
  if (!table) return undefined
  if (tables.some(({ name }) => name === ownNames.sidecar)) {
    return worker ? undefined : "no Worker says which repository its database is of"
  }
  return `its database has tables that no deployment of this project made, such as ${printable(table.name)}`
}

async function readEmails({ uuid }: ListedDatabase, account: Account): Promise<PreviewEmail[]> {
  const rows = await openDatabase({ ...account, databaseId: uuid }).ask(
    "SELECT created_at, value FROM verification WHERE identifier >= 'letter:' AND identifier < 'letter;' ORDER BY created_at",
  )
  return PreviewEmails.parse(rows)
}

/** As `Worker accounts-preview-main, database accounts-preview-main (3f…)`. */
export function describeResources({ worker, database }: PreviewResources): string {
  return [
    ...(worker ? [`Worker ${worker.name} (${worker.id})`] : []),
    ...(database ? [`database ${database.name} (${database.uuid})`] : []),
  ].join(", ")
}

/** Returns the latest time at which a resource was created or changed. */
export function changedAt({ worker, database }: PreviewResources): string | undefined {
  const { created_on, updated_on, deployed_on } = worker ?? {}
  const times = [created_on, updated_on, deployed_on, database?.created_at]
  return times
    .filter((time) => time != null)
    .toSorted((a, b) => Date.parse(a) - Date.parse(b))
    .at(-1)
}

/**
 * Runs environments/seed.sql, if the checkout has one, in a preview without users: all of it, or nothing.
 * @returns whether it ran
 */
export async function seedPreview(place: DatabasePlace): Promise<boolean> {
  const seed = readIfExists(join(root, "environments", "seed.sql"))
  if (seed === undefined) return false
  const database = openDatabase(place)
  if ((await database.ask(project.operator.anyUser)).length > 0) return false
  // The bookmark makes the file unique: D1 does not import the same file twice.
  const script = `-- at ${await database.bookmark()}\n${seed}`
  const md5 = createHash("md5").update(script).digest("hex")
  const { signal } = new AbortController()
  await importDump(place, { blob: new Blob([script]), md5 }, { signal })
  return true
}
