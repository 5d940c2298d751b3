import { relative } from "node:path"

import { createApi } from "../d1/cloudflare-api.ts"
import { cloudflareD1 } from "../d1/cloudflare.ts"
import type { D1 } from "../d1/d1.ts"
import { type Database, openDatabase } from "../d1/database.ts"
import { Failure } from "../failure.ts"
import { type Migration, readMigrations } from "../files/migration-files.ts"
import { type Project, type ProjectFlags, readProject } from "./project.ts"

export type DatabaseFlags = ProjectFlags & { databaseId?: string; api?: string; local?: true }

type OpenProject = AsyncDisposable & { project: Project; files: Migration[]; database: Database }

/** Opens the migrations of a project, and the database of its settings. @throws USAGE naming what is missing */
export async function openProject(flags: DatabaseFlags): Promise<OpenProject> {
  const project = readProject(flags)
  const files = await readFiles(project)
  const d1 = flags.local ? await openLocal(project) : openRemote(project, flags)
  return {
    project,
    files,
    database: openDatabase(d1, project.names),
    [Symbol.asyncDispose]: async () => await d1[Symbol.asyncDispose]?.(),
  }
}

async function openLocal({ settings }: Project) {
  if (settings === undefined) {
    throw new Failure("USAGE", "--local needs wrangler's settings with the database; see --config.")
  }
  const { openLocalD1 } = await import("./local-d1.ts")
  return await openLocalD1(settings)
}

function openRemote(
  project: Project,
  { databaseId, api }: DatabaseFlags,
): D1 & Partial<AsyncDisposable> {
  const { CLOUDFLARE_API_TOKEN: token = "", CLOUDFLARE_ACCOUNT_ID: account = "" } = process.env
  // Wrangler also reads the settings first.
  const accountId = project.accountId ?? account
  const id = databaseId ?? project.databaseId ?? ""
  const missing = [
    ...(token === "" ? ["CLOUDFLARE_API_TOKEN, a token with D1's edit permission"] : []),
    ...(accountId === "" ? ["account_id in wrangler's settings, or CLOUDFLARE_ACCOUNT_ID"] : []),
    ...(id === "" ? ["--database-id, or database_id in wrangler's settings"] : []),
  ]
  if (missing.length > 0) throw new Failure("USAGE", `Give ${missing.join("; ")}.`)
  return cloudflareD1({ api: createApi({ token, baseUrl: api }), accountId, databaseId: id })
}

export function readFiles({ folder, names }: Project): Promise<Migration[]> {
  return readMigrations(folder.directory, { pattern: folder.pattern, names })
}

/** Returns the index of a migration file, given its name or path. @throws USAGE listing the names */
export function positionOf(files: Migration[], file: string, { folder }: Project): number {
  const path = relative(folder.directory, file)
  const index = files.findIndex(({ name }) => name === file || name === path)
  if (index >= 0) return index
  const names = files.map(({ name }) => `\n  ${name}`).join("")
  throw new Failure("USAGE", `${file} is none of the files:${names}`)
}
