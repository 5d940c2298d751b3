import { setTimeout as delay } from "node:timers/promises"

import type { Database } from "@accounts-stack/d1-migrations/d1"
import * as z from "zod"

import { Failure, isFailure } from "../../base/failure.ts"
import { type Account, type DatabasePlace, undefinedIfNotFound } from "../../deploy/api.ts"
import { physicalName } from "../../environment/environment.ts"
import { openDatabase } from "../../environment/own-names.ts"
import {
  engineOf,
  openAccount,
  readDeployedOutputs,
  readSite,
  type StackOptions,
} from "../stack/deployed-stack.ts"

const Details = z.object({
  name: z.string(),
  file_size: z.number().default(0),
  num_tables: z.number().default(0),
  jurisdiction: z.string().nullish(),
})
const Listed = z.object({
  uuid: z.string(),
  name: z.string(),
  created_at: z.string(),
  jurisdiction: z.string().nullish(),
})
export type ListedDatabase = z.infer<typeof Listed>
const Created = z.object({ uuid: z.string() })

function databasesOf({ accountId }: Pick<Account, "accountId">): string {
  return `/accounts/${encodeURIComponent(accountId)}/d1/database`
}

export function pathOf(place: Pick<DatabasePlace, "accountId" | "databaseId">): string {
  return `${databasesOf(place)}/${encodeURIComponent(place.databaseId)}`
}

export function readDetails(place: DatabasePlace): Promise<z.infer<typeof Details>> {
  return place.api.get(pathOf(place), Details)
}

/** Names hold more than one kind of thing, so the caller looks for its own. */
export async function listDatabases(account: Account) {
  const databases: ListedDatabase[] = []
  for (let page = 1; ; page += 1) {
    const path = `${databasesOf(account)}?page=${page}&per_page=${pageSize}`
    const databasesOfPage = await account.api.get(path, z.array(Listed))
    databases.push(...databasesOfPage)
    if (databasesOfPage.length < pageSize) return databases
  }
}

const pageSize = 100

/** Finds a database by its name. Cloudflare refuses a second database of the same name. */
export async function findDatabase(account: Account, name: string) {
  return (await listDatabases(account)).find((database) => database.name === name)
}

/** Creates a database and returns its id, even if the response is lost. */
export async function createDatabase(
  account: Account,
  settings: { name: string; jurisdiction?: string },
): Promise<string> {
  try {
    return (await account.api.post(databasesOf(account), settings, Created)).uuid
  } catch (error) {
    if (!isFailure(error, "API_FAILED") || !error.facts.lost) throw error
    const database = await findDatabase(account, settings.name)
    if (database === undefined) throw error
    return database.uuid
  }
}

export async function deleteDatabase(place: DatabasePlace): Promise<void> {
  await undefinedIfNotFound(place.api.delete(pathOf(place)))
}

const Progress = z.object({
  success: z.boolean(),
  status: z.string().optional(),
  at_bookmark: z.string().optional(),
  error: z.string().optional(),
  errors: z.array(z.string()).optional(),
})
type Progress = z.infer<typeof Progress>

const ExportProgress = Progress.extend({ result: z.object({ signed_url: z.url() }).optional() })
/** Response to `init`. If D1 already has the file, it starts the import and sends progress instead. */
const Upload = z.object({ filename: z.string(), upload_url: z.url() })

type Waiting = { signal: AbortSignal; pause?: (milliseconds: number) => Promise<unknown> }

/** Milliseconds between two polls; Cloudflare itself waits about a second before it answers. */
const pollInterval = 500

/** Timeout (ms) of requests that start work in D1: less than the five minutes of Node's `fetch`. */
export const beginTimeout = 240_000

type Exporting = Waiting & {
  /** Names of the objects to export, of any type; undefined exports all. */
  names?: string[] | undefined
}

/**
 * Starts an export and polls until it is complete. The database answers nothing else meanwhile.
 * Returns the URL of the file, valid for an hour, and the bookmark of the exported state.
 */
export async function exportDump(
  place: DatabasePlace,
  { signal, names, pause = delay }: Exporting,
) {
  const path = `${pathOf(place)}/export`
  const options = names === undefined ? {} : { dump_options: { tables: names } }
  const body = { output_format: "polling", ...options }
  signal.throwIfAborted()
  let answer = await place.api.post(path, body, ExportProgress, beginTimeout).catch(notTwice)
  const bookmark = answer.at_bookmark ?? ""
  for (;;) {
    failed("exported", answer)
    if (answer.status === "complete" && answer.result !== undefined) {
      return { url: answer.result.signed_url, bookmark }
    }
    await pause(pollInterval)
    signal.throwIfAborted()
    const poll = { ...body, current_bookmark: bookmark }
    answer = await place.api.query(path, poll, ExportProgress)
  }
}

/** "an in-progress export must be continually polled or will automatically cancel": OpenAPI. */
function notTwice(error: unknown): never {
  if (!isFailure(error, "API_FAILED") || !error.facts.lost) throw error
  const message = `${error.message}. It is not sent twice: if D1 has begun an export, D1 cancels it, because no client polls for it: run this again in a minute.`
  throw new Failure("API_FAILED", message, { facts: error.facts, cause: error })
}

export type UploadFile = { blob: Blob; md5: string }

/** Uploads a script and polls until D1 has run it: all of it, or nothing. */
export async function importDump(
  place: DatabasePlace,
  { blob, md5 }: UploadFile,
  { signal, pause = delay }: Waiting,
): Promise<void> {
  const path = `${pathOf(place)}/import`
  const init = { action: "init", etag: md5 }
  const first = await place.api.post(path, init, z.union([Upload, Progress]), beginTimeout)
  let answer: Progress
  if ("upload_url" in first) {
    await upload(first.upload_url, blob, md5)
    signal.throwIfAborted()
    const ingest = { action: "ingest", filename: first.filename, etag: md5 }
    answer = await place.api.post(path, ingest, Progress, beginTimeout)
  } else {
    answer = first
  }
  while (answer.status !== "complete") {
    failed("imported", answer)
    const poll = { action: "poll", current_bookmark: answer.at_bookmark }
    await pause(pollInterval)
    answer = await place.api.query(path, poll, Progress)
  }
  failed("imported", answer)
}

/** @throws Failure with D1's own reason */
function failed(operation: string, { success, status, error, errors = [] }: Progress): void {
  if (success && status !== "error") return
  const reason = error ?? (errors.join("; ") || "without a reason")
  throw new Failure("COMMAND_FAILED", `The database could not be ${operation}: ${reason}`)
}

async function upload(url: string, body: Blob, md5: string): Promise<void> {
  // A signed URL: it carries its own credential, and must not get the token.
  const response = await fetch(url, { method: "PUT", body, redirect: "error" })
  const etag = response.headers.get("etag")?.replaceAll('"', "")
  const text = await response.text()
  if (response.ok && etag === md5) return
  const reason = response.ok ? "it arrived with other content" : `${response.status} ${text}`
  throw new Failure("COMMAND_FAILED", `The file could not be uploaded to D1: ${reason}`)
}

type DatabaseToAdopt = AsyncDisposable & { database: Database }

/**
 * Opens the database of a stack. Before the first deployment, which needs the ledger, it finds the database
 * by the name in the stack file.
 */
export async function openDatabaseToAdopt(options: StackOptions): Promise<DatabaseToAdopt> {
  const { stack } = options
  const site = readSite(options)
  const outputs = await readDeployedOutputs(await engineOf(options), stack)
  await using opened = new AsyncDisposableStack()
  const account = opened.use(await openAccount(site, options))
  const name = physicalName(stack, site)
  const databaseId = outputs?.databaseId ?? (await findDatabase(account, name))?.uuid
  if (databaseId === undefined) {
    const { accountId } = account
    throw new Failure(
      "COMMAND_FAILED",
      `The stack ${stack} is not deployed, and account ${accountId} has no database ${name} to adopt. accounts:name in its stack file is the name of the database.`,
    )
  }
  const database = openDatabase({ ...account, databaseId })
  const owned = opened.move()
  return { database, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
