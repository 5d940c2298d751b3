import type { MigrationFile } from "../files/migration-files.ts"
import type { Names } from "../names.ts"
import type { RecordedMigrations } from "./recorded-migrations.ts"

/**
 * - `unrecorded`: another tool applied it, so its checksum is not known; the next `up` records it
 * - `out of order`: not applied, although a file after it is
 * - `missing`: this project applied it, and no file has its name
 * - `foreign`: another tool applied something of this name, and no file has it
 * - `torn`: recorded beside the ledger, which does not have it
 */
export type MigrationState =
  | "applied"
  | "unrecorded"
  | "pending"
  | "out of order"
  | "edited"
  | "renamed"
  | "missing"
  | "foreign"
  | "torn"

export type MigrationStatus = {
  name: string
  state: MigrationState
  class?: string | undefined
  appliedAt?: string | undefined
  /** The file that has its content now. */
  renamedTo?: string
}

/** The files and what a database says of them: what it applied in its order, then what it has not. */
export function compareMigrations(
  files: MigrationFile[],
  { applied, orphans }: RecordedMigrations,
): MigrationStatus[] {
  const known = new Map(files.map((file) => [file.name, file]))
  const names = new Set(applied.map(({ name }) => name))
  const past = applied.map(({ name, appliedAt, record }): MigrationStatus => {
    const file = known.get(name)
    const what = { name, class: record?.class ?? undefined, appliedAt }
    if (record === undefined) return { ...what, state: file ? "unrecorded" : "foreign" }
    if (file !== undefined) {
      return { ...what, state: file.sha256 === record.sha256 ? "applied" : "edited" }
    }
    const twin = files.find(({ sha256, name: own }) => sha256 === record.sha256 && !names.has(own))
    return twin === undefined
      ? { ...what, state: "missing" }
      : { ...what, state: "renamed", renamedTo: twin.name }
  })
  const newNames = new Set(past.map(({ renamedTo }) => renamedTo))
  const last = files.findLastIndex(({ name }) => names.has(name) || newNames.has(name))
  const future = files.flatMap(({ name }, index): MigrationStatus[] => {
    if (names.has(name) || newNames.has(name)) return []
    return [{ name, state: index < last ? "out of order" : "pending" }]
  })
  const torn = orphans.map(({ name }): MigrationStatus => ({ name, state: "torn" }))
  return [...past, ...future, ...torn]
}

type Remedy = (status: MigrationStatus, names: Names) => string

const remedies: Partial<Record<MigrationState, Remedy>> = {
  edited: ({ name }) =>
    `${name} was edited after it had been applied: restore the file and put the change into a new migration.`,
  renamed: ({ name, renamedTo }) =>
    `${name} is applied, and its file is called ${renamedTo} now: give it its name back.`,
  missing: ({ name }) =>
    `${name} is applied, and its file is gone: restore it, or deploy the branch that has it.`,
  foreign: ({ name }, { command }) =>
    `${name} was applied by another tool and is not among the files: ${command} baseline compares the schemas.`,
  "out of order": ({ name }) =>
    `${name} is not applied, although a file after it is: give it the highest number.`,
  torn: ({ name }, { ledger, sidecar }) =>
    `${name} is recorded beside the ledger, which does not have it: if the database has what the file makes, put the row back into ${ledger}; if not, delete the one in ${sidecar}.`,
}

/** What somebody has to do about a migration; undefined when the next `up` does all there is. */
export function attentionFor(status: MigrationStatus, names: Names): string | undefined {
  return remedies[status.state]?.(status, names)
}
