import { type MigrationsStatus, readMigrationsStatus } from "@accounts-stack/d1-migrations"
import type { Migration } from "@accounts-stack/d1-migrations/files"

import type { DeployedStack } from "../../stack/deployed-stack.ts"
import { readDetails } from "../d1-account.ts"
import { askLiveVersion, attentionForLive, type LiveVersion } from "../live-version.ts"

export type DatabaseStatus = MigrationsStatus & {
  stack: string
  database: {
    id: string
    name: string
    /** Bytes. */
    size: number
    tables: number
    /** Of now, for Time Travel. */
    bookmark: string
  }
  version: LiveVersion
}

type Site = Pick<
  DeployedStack,
  "stack" | "api" | "accountId" | "databaseId" | "database" | "address"
>

export async function readStatus(site: Site, files: Migration[]): Promise<DatabaseStatus> {
  const { stack, databaseId, database, address } = site
  const [details, bookmark, { migrations, attention }, version] = await Promise.all([
    readDetails(site),
    database.bookmark(),
    readMigrationsStatus(database, files),
    askLiveVersion(address),
  ])
  const { name, file_size: size, num_tables: tables } = details
  const live = attentionForLive(version)
  return {
    stack,
    database: { id: databaseId, name, size, tables, bookmark },
    version,
    migrations,
    attention: live === undefined ? attention : [...attention, live],
  }
}
