import type { MigrationFile } from "../files/migration-files.ts"
import { type Names, usualNames } from "../names.ts"
import { historyProblems } from "./migration-status.ts"

/** A migration that is in a database, without a checksum when another tool applied it. */
export type Applied = { name: string; sha256?: string | undefined }

export type Pending<File extends MigrationFile> = {
  pending: File[]
  /** Applied by another tool, so their checksums are still to be recorded. */
  unrecorded: File[]
}

/** The applied migrations are no beginning of the files: a file was edited, renamed or lost. */
export class HistoryMismatch extends Error {
  override name = "HistoryMismatch"
}

/**
 * @throws HistoryMismatch, naming the files and the remedies, unless the applied migrations are the first of the
 * files, in the same order and unedited
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
