import { createApi } from "../d1/cloudflare-api.ts"
import { cloudflareD1 } from "../d1/cloudflare.ts"
import { type Database, openDatabase } from "../d1/database.ts"
import { Failure } from "../failure.ts"
import { type Migration, readMigrations } from "../files/migration-files.ts"
import { type Project, type ProjectFlags, readProject } from "./project.ts"

export type DatabaseFlags = ProjectFlags & { databaseId?: string; api?: string }

type Opened = { files: Migration[]; database: Database }

/** The migrations of a project, and the database of its settings. @throws USAGE naming what is missing */
export async function openProject({ databaseId, api, ...flags }: DatabaseFlags): Promise<Opened> {
  const project = readProject(flags)
  const { CLOUDFLARE_API_TOKEN: token = "", CLOUDFLARE_ACCOUNT_ID: account = "" } = process.env
  // Wrangler reads the settings first, too.
  const accountId = project.accountId ?? account
  const id = databaseId ?? project.databaseId ?? ""
  const missing = [
    ...(token === "" ? ["CLOUDFLARE_API_TOKEN, a token with D1's edit permission"] : []),
    ...(accountId === "" ? ["account_id in wrangler's settings, or CLOUDFLARE_ACCOUNT_ID"] : []),
    ...(id === "" ? ["--database-id, or database_id in wrangler's settings"] : []),
  ]
  if (missing.length > 0) throw new Failure("USAGE", `Give ${missing.join("; ")}.`)
  const d1 = cloudflareD1({ api: createApi({ token, baseUrl: api }), accountId, databaseId: id })
  return { files: await readFiles(project), database: openDatabase(d1, project.names) }
}

export function readFiles({ folder, names }: Project): Promise<Migration[]> {
  return readMigrations(folder.directory, { pattern: folder.pattern, names })
}
