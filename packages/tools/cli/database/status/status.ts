import {
  type MigrationsStatus,
  readMigrationsStatus,
  describeMigrations,
} from "@accounts-stack/d1-migrations"
import type { Migration } from "@accounts-stack/d1-migrations/files"

import { counted } from "../../../base/counted.ts"
import { nextCommand, type StackPlace } from "../../local-options.ts"
import { paintFor } from "../../output.ts"
import type { DeployedStack } from "../../stack/deployed-stack.ts"
import { readDetails } from "../d1-account.ts"
import {
  askLiveVersion,
  attentionForLive,
  type LiveVersion,
  describeLive,
} from "../live-version.ts"

type DatabaseStatus = MigrationsStatus & {
  stack: string
  database: {
    id: string
    name: string
    /** Bytes. */
    size: number
    tables: number
    /** Current Time Travel bookmark. */
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

/** Formats the status for the terminal. */
export function describeStatus(status: DatabaseStatus, place: StackPlace): string {
  const { database, version, migrations, attention } = status
  const pending = migrations.filter(({ state }) => state === "pending").length
  return [
    `${paintFor(process.stdout).bold(database.name)}  ${database.id}`,
    `  size      ${describeSize(database.size)}, ${counted(database.tables, "table")}`,
    `  bookmark  ${database.bookmark}`,
    `  version   ${describeLive(version)}`,
    "",
    describeMigrations(status),
    // If something needs attention, the lines above show what prevents the deployment.
    ...(pending > 0 && attention.length === 0
      ? [`  ${counted(pending, "file")} to apply: ${nextCommand("up", place)}`]
      : []),
  ].join("\n")
}

function describeSize(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.ceil(bytes / 1000)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
