import type { MigrationFile } from "../files/migration-files.ts"

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
 * @throws HistoryMismatch, naming the file and the remedy, unless the applied migrations are the first of the
 * files, in the same order and unedited
 */
export function findPending<File extends MigrationFile>(
  files: File[],
  applied: Applied[],
): Pending<File> {
  const unrecorded: File[] = []
  for (const [index, past] of applied.entries()) {
    const file = files[index]
    if (file === undefined || file.name !== past.name) throw misplaced({ files, applied, index })
    if (past.sha256 === undefined) unrecorded.push(file)
    if (past.sha256 !== undefined && past.sha256 !== file.sha256) {
      throw new HistoryMismatch(
        `${file.name} was edited after it had been applied ` +
          `(sha256 ${short(past.sha256)} then, ${short(file.sha256)} now). ` +
          `Restore the file and put the change into a new migration.`,
      )
    }
  }
  return { pending: files.slice(applied.length), unrecorded }
}

type Misplaced = {
  files: MigrationFile[]
  applied: Applied[]
  index: number
}

function misplaced({ files, applied, index }: Misplaced): HistoryMismatch {
  const past = applied[index]?.name ?? ""
  if (!files.some((file) => file.name === past)) {
    return new HistoryMismatch(
      `${past} is recorded as applied but is not among the migrations. ` +
        `Restore the file, or deploy the branch that has it; to undo it, write a new migration.`,
    )
  }
  const file = files[index]?.name ?? ""
  if (applied.some((row) => row.name === file)) {
    return new HistoryMismatch(
      `${past} was applied before ${file}, but stands after it in the list of migrations. ` +
        `Give the files the numbers they had when they were applied.`,
    )
  }
  return new HistoryMismatch(
    `${file} would run after ${past}, which is already applied. ` +
      `Rename it so that its number is the highest.`,
  )
}

function short(sha256: string): string {
  return sha256.slice(0, 12)
}
