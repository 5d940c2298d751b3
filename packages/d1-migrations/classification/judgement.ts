import { hash } from "node:crypto"

import { messageOf } from "../failure.ts"
import { type Declaration, readDeclarations } from "../files/declarations.ts"
import type { Migration } from "../files/migration-files.ts"
import { findTooWide } from "../guard/size.ts"
import { createTables } from "../ledger/ledger.ts"
import type { Names } from "../names.ts"
import { notesOf, objectionsTo } from "../provenance/objections.ts"
import { advance } from "../provenance/run.ts"
import { readSchema, type Table } from "../schema/schema.ts"
import {
  openScratchDatabase,
  type ScratchDatabase,
  scratchDatabaseOf,
  type SchemaObject,
} from "../schema/scratch-database.ts"
import { type Classification, classify } from "./classification.ts"

export type JudgedFile = {
  file: Migration
  /** The tables that it finds. */
  before: Table[]
  /** The tables that it leaves, as far as that is known without the rows. */
  after: Table[]
  classification: Classification
  declarations: Declaration[]
  /** What is wrong with how it declares them. */
  problem: string | undefined
  /** Why it must not run; empty when it may. */
  objections: string[]
  /** What it loses as declared, or changes without harm. */
  notes: string[]
  /** False when the schema that it leaves cannot be found out without the rows. */
  applies: boolean
}

/**
 * Judges a pending file. `database` has the schema that it finds, and afterwards the one that it
 * leaves, if that can be found out.
 */
export function judgeFile(database: ScratchDatabase, file: Migration): JudgedFile {
  const before = readSchema(database)
  const classification = classifyOnce(database, file)
  const { provenance, reach } = classification
  const { declarations, problem } = declarationsOf(file)
  const judged = { file, provenance, declarations, touched: reach.touched, before }
  const objections = objectionsOf({ file, before, classification, declarations, problem })
  const applies = advance(database, file) === undefined
  const after = applies ? readSchema(database) : classification.after
  const notes = notesOf(judged)
  return {
    file,
    before,
    after,
    classification,
    declarations,
    problem,
    objections,
    notes,
    applies,
  }
}

type Objected = Pick<JudgedFile, "file" | "before" | "classification" | "declarations" | "problem">

/** @param empty tables and columns of a database that hold nothing, as in `note` and `note.text` */
export function objectionsOf(
  { file, before, classification, declarations, problem }: Objected,
  empty = new Set<string>(),
): string[] {
  const { provenance, reach } = classification
  const losses = provenance.losses.filter(
    ({ table, column, part }) =>
      part !== undefined || !(empty.has(table) || empty.has(`${table}.${column}`)),
  )
  const touched = reach.touched
  return [
    ...(problem === undefined ? [] : [problem]),
    ...objectionsTo({ file, provenance: { ...provenance, losses }, declarations, touched, before }),
    ...findTooWide(file, classification.after),
  ]
}

/** Of the last 50 files, by them and by the content of the database. */
const classified = new Map<string, Classification>()

/** A plan, the preview in it and the `up` after it ask for the same, which takes a second each time. */
function classifyOnce(database: ScratchDatabase, file: Migration): Classification {
  const key = [database.content(), JSON.stringify(file)].map((part) => hash("sha256", part)).join()
  const classification = classified.get(key) ?? classify(database, file)
  classified.set(key, classification)
  for (const oldest of [...classified.keys()].slice(0, -50)) classified.delete(oldest)
  return classification
}

function declarationsOf(file: Migration): {
  declarations: Declaration[]
  problem: string | undefined
} {
  try {
    return { declarations: readDeclarations(file.declared, file.names), problem: undefined }
  } catch (error) {
    return { declarations: [], problem: `${file.name}, ${messageOf(error)}` }
  }
}

/** The new ones of `files`, each on the schema that those before it leave, as far as that is known. */
export function judgeEach(files: Migration[], isNew: (file: Migration) => boolean): JudgedFile[] {
  using database = openScratchDatabase()
  return files.flatMap((file) => {
    if (isNew(file)) return judgeFile(database, file)
    advance(database, file)
    return []
  })
}

/** Judges files up to the first that needs the rows: what comes after it is judged when it has run. */
export function judgeFiles(database: ScratchDatabase, pending: Migration[]): JudgedFile[] {
  const judged: JudgedFile[] = []
  for (const file of pending) {
    const one = judgeFile(database, file)
    judged.push(one)
    if (!one.applies) break
  }
  return judged
}

type Live = {
  /** Without the ledger. */
  objects: SchemaObject[]
  pending: Migration[]
  applied: Migration[]
  names: Names
}

/**
 * The same on the schema of a live database, which may not have its ledger yet. Where the files that
 * it has make the same schema, the rows that they put into it are known, too.
 */
export function judgeOn({ objects, pending, applied, names }: Live): JudgedFile[] {
  const ledger = Object.values(createTables(names)).join(";\n")
  using replayed = openScratchDatabase()
  const known = applied.every((file) => advance(replayed, file) === undefined)
  if (known && applied.length > 0 && isSameSchema(replayed, objects)) {
    replayed.exec(ledger)
    return judgeFiles(replayed, pending)
  }
  using database = scratchDatabaseOf(objects)
  database.exec(ledger)
  return judgeFiles(database, pending)
}

function isSameSchema(replayed: ScratchDatabase, objects: SchemaObject[]): boolean {
  const own = new Set(replayed.objects().map(({ name, sql }) => JSON.stringify([name, sql])))
  return (
    own.size === objects.length &&
    objects.every(({ name, sql }) => own.has(JSON.stringify([name, sql])))
  )
}

/** The same on the schema that applied files leave; empty when only a live database can tell that. */
export function judgeAfter(applied: Migration[], pending: Migration[]): JudgedFile[] {
  using database = openScratchDatabase()
  const known = applied.every((file) => advance(database, file) === undefined)
  return known ? judgeFiles(database, pending) : []
}
