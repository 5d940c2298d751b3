import type { MigrationFile } from "../files/migration-files.ts"
import { type Names, usualNames } from "../names.ts"

/**
 * - `unrecorded`: applied by another tool, so its checksum is unknown; the next `up` records it
 * - `out of order`: not applied, although a later file is
 * - `missing`: applied by this project, but no file has its name
 * - `foreign`: applied by another tool, but no file has its name
 * - `torn`: recorded in the sidecar, but not in the ledger
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
  /** The file that now has the content of the migration. */
  renamedTo?: string
}

/** The part of a database's record of migrations that is compared with the files. */
type Recorded = {
  applied: {
    name: string
    appliedAt?: string | undefined
    record: { sha256: string; class?: string | null | undefined } | undefined
  }[]
  orphans: { name: string }[]
}

/** Compares the files with a database. Returns the applied migrations in order of application, then the others. */
export function compareMigrations(
  files: MigrationFile[],
  { applied, orphans }: Recorded,
): MigrationStatus[] {
  const filesByName = new Map(files.map((file) => [file.name, file]))
  const names = new Set(applied.map(({ name }) => name))
  const past = applied.map(({ name, appliedAt, record }): MigrationStatus => {
    const file = filesByName.get(name)
    const common = { name, class: record?.class ?? undefined, appliedAt }
    if (record === undefined) return { ...common, state: file ? "unrecorded" : "foreign" }
    if (file !== undefined) {
      return { ...common, state: file.sha256 === record.sha256 ? "applied" : "edited" }
    }
    const twin = files.find(
      ({ sha256, name: fileName }) => sha256 === record.sha256 && !names.has(fileName),
    )
    return twin === undefined
      ? { ...common, state: "missing" }
      : { ...common, state: "renamed", renamedTo: twin.name }
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
    `${name} is recorded as applied but is not among the migrations: its file is called ${renamedTo} now, so give it its name back.`,
  missing: ({ name }) =>
    `${name} is recorded as applied but is not among the migrations: restore the file, or deploy the branch that has it; to undo it, write a new migration.`,
  foreign: ({ name }, { command }) =>
    `${name} is recorded as applied but is not among the migrations, and another tool applied it: ${command} baseline compares the schemas.`,
  "out of order": ({ name }) =>
    `${name} is not applied, although a file after it is: rename it so that its number is the highest.`,
  torn: ({ name }, { ledger, sidecar }) =>
    `${sidecar} records ${name} as applied but ${ledger} does not: a row was deleted by hand, or a failed request was not undone as a whole. If the database has what the file makes, put the row back; if it does not, delete the one in ${sidecar}, too.`,
}

/** Returns the problems that the user must solve; empty if the next `up` can run. */
export function historyProblems(
  files: MigrationFile[],
  recorded: Recorded,
  names: Names,
): string[] {
  const migrationStatuses = compareMigrations(files, recorded)
  const problems = migrationStatuses.flatMap(
    (migrationStatus) => remedies[migrationStatus.state]?.(migrationStatus, names) ?? [],
  )
  const at = recorded.applied.findIndex(({ name }, index) => name !== files[index]?.name)
  if (problems.length > 0 || at < 0) return problems
  const [past, file] = [recorded.applied[at]?.name, files[at]?.name]
  return [
    `${past} was applied before ${file}, but stands after it in the list of migrations: give the files the numbers they had when they were applied.`,
  ]
}

/** A migration that a database has. `sha256` is undefined if another tool applied it. */
export type Applied = { name: string; sha256?: string | undefined }

export type Pending<File extends MigrationFile> = {
  pending: File[]
  /** Files that another tool applied, so their checksums must be recorded. */
  unrecorded: File[]
}

/** Thrown if the applied migrations are not the first files, because a file was edited, renamed or lost. */
export class HistoryMismatch extends Error {
  override name = "HistoryMismatch"
}

/**
 * @throws HistoryMismatch with the files and the remedies, unless the applied migrations are the first files, in the
 * same order and unedited
 */
export function findPending<File extends MigrationFile>(
  files: File[],
  applied: Applied[],
  names: Names = usualNames,
): Pending<File> {
  const past = applied.map(({ name, sha256 }) => {
    return { name, record: sha256 === undefined ? undefined : { sha256 } }
  })
  const problems = historyProblems(files, { applied: past, orphans: [] }, names)
  if (problems.length > 0) throw new HistoryMismatch(problems.join("\n"))
  const unrecorded = files.filter((_, index) => past[index] && past[index].record === undefined)
  return { pending: files.slice(applied.length), unrecorded }
}
