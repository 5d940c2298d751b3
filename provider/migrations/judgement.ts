import { messageOf } from "../../failure.ts"
import { type Classification, classify } from "./classification/classification.ts"
import { type Declaration, readDeclarations } from "./declarations.ts"
import { findTooWide } from "./guard/size.ts"
import { findUndeclared } from "./guard/undeclared.ts"
import type { Migration } from "./migration-files.ts"
import { findRefusal } from "./rehearsal/refusal.ts"
import { advance } from "./rehearsal/rehearsal.ts"
import { readSchema, type Table } from "./rehearsal/schema.ts"
import type { ScratchDatabase } from "./rehearsal/scratch-database.ts"

export type JudgedFile = {
  file: Migration
  /** The tables that it finds. */
  before: Table[]
  classification: Classification
  declarations: Declaration[]
  /** Why it must not run; empty when it may. */
  objections: string[]
}

/**
 * Judges a pending file. `database` has the schema that it finds, and afterwards the one that it
 * leaves; `applies` is false when that could not be found out without the rows.
 */
export function judgeFile(
  database: ScratchDatabase,
  file: Migration,
): JudgedFile & { applies: boolean } {
  const before = readSchema(database)
  const classification = classify(database, file)
  const refusal = findRefusal(database, file)
  const { declarations, problem } = declarationsOf(file)
  const undeclared = findUndeclared({ file, classification, declarations })
  const objections = [
    ...(problem === undefined ? [] : [problem]),
    // What foreign keys take, no declaration allows: the deletion is said in words.
    ...(refusal === undefined ? undeclared : [refusal]),
    ...findTooWide(file, classification),
  ]
  const applies = advance(database, file) === undefined
  return { file, before, classification, declarations, objections, applies }
}

function declarationsOf(file: Migration): { declarations: Declaration[]; problem?: string } {
  try {
    return { declarations: readDeclarations(file.sql) }
  } catch (error) {
    return { declarations: [], problem: `${file.name}, ${messageOf(error)}` }
  }
}

/** Why pending files must not run, of all that can be judged without applying one. */
export function findObjections(database: ScratchDatabase, pending: Migration[]): string[] {
  const objections: string[] = []
  for (const file of pending) {
    const judged = judgeFile(database, file)
    objections.push(...judged.objections)
    // What comes after a file that cannot run is judged when that one can.
    if (!judged.applies) break
  }
  return objections
}
