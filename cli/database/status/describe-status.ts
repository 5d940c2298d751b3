import type { MigrationState } from "@accounts/d1-migrations/d1"

import { paintFor } from "../../output.ts"
import { describeLive } from "../live-version.ts"
import type { DatabaseStatus } from "./status.ts"

/** For people. */
export function describeStatus(status: DatabaseStatus): string {
  const { database, version, migrations, attention } = status
  const paint = paintFor(process.stdout)
  const colours: Partial<Record<MigrationState, (text: string) => string>> = {
    applied: paint.green,
    unrecorded: paint.green,
    pending: paint.yellow,
  }
  const nameWidth = Math.max(...migrations.map(({ name }) => name.length), 0)
  const stateWidth = Math.max(...migrations.map(({ state }) => state.length), 0)
  const lines = migrations.map(({ name, state, class: kind, appliedAt, renamedTo }) => {
    const painted = (colours[state] ?? paint.red)(state.padEnd(stateWidth))
    const now = renamedTo === undefined ? "" : `now ${renamedTo}`
    const facts = [appliedAt ?? "", kind ?? "", now].filter((text) => text !== "")
    return `  ${name.padEnd(nameWidth)}  ${painted}  ${facts.join("  ")}`.trimEnd()
  })
  return [
    `${paint.bold(database.name)}  ${database.id}`,
    `  size      ${describeSize(database.size)}, ${database.tables} tables`,
    `  bookmark  ${database.bookmark}`,
    `  version   ${describeLive(version)}`,
    "",
    ...(lines.length > 0 ? lines : ["  no migration is applied, and none is pending"]),
    "",
    ...(attention.length > 0
      ? attention.map((text) => `${paint.red("✗")} ${text}`)
      : [`${paint.green("✓")} Nothing needs attention.`]),
  ].join("\n")
}

function describeSize(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.ceil(bytes / 1000)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
