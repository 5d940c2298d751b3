import { mkdtempDisposableSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { problemsOf, type Rehearsal, rehearse, type Told } from "@accounts-stack/d1-migrations"
import type { Database } from "@accounts-stack/d1-migrations/d1"
import { findPending, type Migration } from "@accounts-stack/d1-migrations/files"
import * as z from "zod"

import { Failure, messageOf } from "../../base/failure.ts"
import { createApi } from "../../deploy/api.ts"
import { protectUsers } from "../../deploy/migrations/refusals.ts"
import type { SchemaUse } from "../../deploy/version/schema-use.ts"
import { openDatabase, readMigrations } from "../../environment/own-names.ts"
import { joinOrStart } from "../process/local-cloudflare.ts"
import type { BaseCommit } from "./base-commit.ts"

export type BranchRehearsal = Rehearsal & {
  /** Commit that the branch comes from. */
  base: string
  /** Warnings that a deployment would print. */
  warnings: string[]
}

export type Rehearsing = {
  root: string
  base: BaseCommit
  /** A script whose INSERT statements are the rows; empty for none. */
  rows: string
  /** Reads the schema use of the base's version. */
  readUse: (root: string, base: BaseCommit) => Promise<SchemaUse>
  openAccount: () => Promise<ScratchAccount>
  say: (line: string) => void
  /** Stops the rehearsal between two steps, so that nothing is left behind. */
  signal: AbortSignal
}

/**
 * Applies the branch's files to the base's schema with rows in it, in a real local D1. The version of the
 * base counts as the live version.
 */
export async function rehearseBranch(rehearsing: Rehearsing): Promise<BranchRehearsal> {
  const { root, base, say } = rehearsing
  const files = await readMigrations(join(root, "migrations"))
  const pending = pendingFiles(files, base)
  if (pending.length === 0) {
    return { base: base.sha, rows: 0, files: [], notRun: [], warnings: [] }
  }
  say(`new since ${base.sha.slice(0, 12)}: ${pending.map(({ name }) => name).join(", ")}`)
  await using account = await rehearsing.openAccount()
  const warnings = new Set<string>()
  const log = { info: () => {}, warn: (text: string) => void warnings.add(text) }
  const use = await rehearsing.readUse(root, base).catch((error: unknown) => {
    log.warn(`What the version of the base uses is not known: ${messageOf(error)}`)
    return undefined
  })
  const version = { versionId: `of ${base.sha.slice(0, 12)}`, percentage: 100, use }
  const live = async () => ({ live: [version], former: undefined })
  const rehearsal = await rehearse({
    ...rehearsing,
    base: base.migrations,
    pending,
    create: (name) => account.createDatabase(name),
    beforeSending: protectUsers({ live, own: undefined, protectLive: true }, log),
  })
  return { ...rehearsal, base: base.sha, warnings: [...warnings] }
}

/** @throws Failure if a file of the base was edited, renamed or removed */
function pendingFiles(files: Migration[], base: BaseCommit): Migration[] {
  try {
    return findPending(files, base.migrations).pending
  } catch (error) {
    const message = `The files of ${base.sha.slice(0, 12)} are not the first of migrations/: ${messageOf(error)}`
    throw new Failure("COMMAND_FAILED", message, { cause: error })
  }
}

/** Adds the facts that a report needs. */
export function toldOf(rehearsal: BranchRehearsal): Told {
  const { base, warnings } = rehearsal
  return { base: base.slice(0, 12), facts: warnings, problems: problemsOf(rehearsal) }
}

const Created = z.object({ uuid: z.string() })

type ScratchAccount = AsyncDisposable & {
  createDatabase(name: string): Promise<Database>
}

type Endpoint = { api: string; accountId: string; token: string }

/** Opens an account of a separate local Cloudflare, which is deleted with everything in it. */
export async function openScratchAccount(): Promise<ScratchAccount> {
  await using opened = new AsyncDisposableStack()
  const { path: state } = opened.use(mkdtempDisposableSync(join(tmpdir(), "accounts-rehearsal-")))
  const cloudflare = await joinOrStart({ state, apiPort: 0, port: 0 })
  opened.defer(() => cloudflare.stop())
  const resources = opened.move()
  return { ...openAccountAt(cloudflare), [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

/** Opens an account of a local Cloudflare that already runs; disposing does not stop it. */
export function openAccountAt({ api, accountId, token }: Endpoint): ScratchAccount {
  const requests = createApi({ baseUrl: api, token })
  return {
    async createDatabase(name) {
      const settings = { name, read_replication: { mode: "disabled" } }
      const path = `/accounts/${accountId}/d1/database`
      const { uuid: databaseId } = await requests.post(path, settings, Created)
      return openDatabase({ api: requests, accountId, databaseId })
    },
    async [Symbol.asyncDispose]() {},
  }
}
