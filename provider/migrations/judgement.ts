import { messageOf } from "../../failure.ts"
import { type Classification, classify } from "./classification/classification.ts"
import { type Declaration, readDeclarations } from "./declarations.ts"
import { findTooWide } from "./guard/size.ts"
import { findUndeclared } from "./guard/undeclared.ts"
import { createTables } from "./ledger.ts"
import type { Migration } from "./migration-files.ts"
import { findRefusal } from "./rehearsal/refusal.ts"
import { advance } from "./rehearsal/rehearsal.ts"
import { readSchema, type Table } from "./rehearsal/schema.ts"
import {
  openScratchDatabase,
  type ScratchDatabase,
  scratchDatabaseOf,
  type SchemaObject,
} from "./rehearsal/scratch-database.ts"

export type JudgedFile = {
  file: Migration
  /** The tables that it finds. */
  before: Table[]
  /** The tables that it leaves, as far as that is known without the rows. */
  after: Table[]
  classification: Classification
  declarations: Declaration[]
  /** Why it must not run; empty when it may. */
  objections: string[]
  /** False when the schema that it leaves cannot be found out without the rows. */
  applies: boolean
}

/**
 * Judges a pending file. `database` has the schema that it finds, and afterwards the one that it
 * leaves, if that can be found out.
 */
export function judgeFile(database: ScratchDatabase, file: Migration): JudgedFile {
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
  const after = applies ? readSchema(database) : classification.after
  return { file, before, after, classification, declarations, objections, applies }
}

function declarationsOf(file: Migration): { declarations: Declaration[]; problem?: string } {
  try {
    return { declarations: readDeclarations(file.sql) }
  } catch (error) {
    return { declarations: [], problem: `${file.name}, ${messageOf(error)}` }
  }
}

/** Judges files up to the first that needs the rows: what comes after it is judged when it has run. */
function judgeFiles(database: ScratchDatabase, pending: Migration[]): JudgedFile[] {
  const judged: JudgedFile[] = []
  for (const file of pending) {
    const one = judgeFile(database, file)
    judged.push(one)
    if (!one.applies) break
  }
  return judged
}

/** The same on the schema of a live database, which may not have its ledger yet. */
export function judgeOn(objects: SchemaObject[], pending: Migration[]): JudgedFile[] {
  using database = scratchDatabaseOf(objects)
  for (const sql of Object.values(createTables)) database.exec(sql)
  return judgeFiles(database, pending)
}

/** The same on the schema that applied files leave; empty when only a live database can tell that. */
export function judgeAfter(applied: Migration[], pending: Migration[]): JudgedFile[] {
  using database = openScratchDatabase()
  const known = applied.every((file) => advance(database, file) === undefined)
  return known ? judgeFiles(database, pending) : []
}

/** Why pending files must not run, of all that can be judged without applying one. */
export function findObjections(database: ScratchDatabase, pending: Migration[]): string[] {
  return judgeFiles(database, pending).flatMap(({ objections }) => objections)
}
