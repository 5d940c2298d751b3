import { describeMigrations } from "@accounts-stack/d1-migrations"

import { counted } from "../../../base/counted.ts"
import { paintFor } from "../../output.ts"
import { describeLive } from "../live-version.ts"
import type { DatabaseStatus } from "./status.ts"

/** For people. */
export function describeStatus(status: DatabaseStatus): string {
  const { stack, database, version, migrations, attention } = status
  const pending = migrations.filter(({ state }) => state === "pending").length
  return [
    `${paintFor(process.stdout).bold(database.name)}  ${database.id}`,
    `  size      ${describeSize(database.size)}, ${counted(database.tables, "table")}`,
    `  bookmark  ${database.bookmark}`,
    `  version   ${describeLive(version)}`,
    "",
    describeMigrations(status),
    // What is in the way of it is told above.
    ...(pending > 0 && attention.length === 0
      ? [`  ${counted(pending, "file")} to apply: ./accounts up -s ${stack}`]
      : []),
  ].join("\n")
}

function describeSize(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.ceil(bytes / 1000)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
