import { hash } from "node:crypto"

import { failureOf } from "../failure.ts"
import { type Declaration, readDeclarations } from "../files/declarations.ts"
import type { Migration } from "../files/migration-files.ts"
import { createTables } from "../ledger/ledger.ts"
import { type Finding, judgeScript } from "../lint/lint.ts"
import { rules } from "../lint/rules.ts"
import type { Names } from "../names.ts"
import { advance } from "../provenance/run.ts"
import { isSameName, readSchema, type Table } from "../schema/schema.ts"
import {
  hasTables,
  openScratchDatabase,
  type ScratchDatabase,
  scratchDatabaseOf,
  type SchemaObject,
} from "../schema/scratch-database.ts"
import { placeOf } from "../sql/statement-place.ts"
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
  /** Tables that earlier files of the run make of rows that stay, so that it may drop what they hold. */
  made?: Set<string>
  /** False when the schema that it leaves cannot be found out without the rows. */
  applies: boolean
}

/** `isEmpty`: the database had no table before the files, so they can take nothing, and no rows are made up. */
type Rows = { isEmpty?: boolean }

/**
 * Judges a pending file. `database` has the schema that it finds, and afterwards the one that it
 * leaves, if that can be found out.
 */
export function judgeFile(
  database: ScratchDatabase,
  file: Migration,
  { isEmpty = false }: Rows = {},
): JudgedFile {
  const before = readSchema(database)
  const classification = classifyOnce(database, file, isEmpty)
  const wrong = failureOf(() => readDeclarations(file.declared, file.names))
  const problem = wrong && `${file.name}, ${wrong}`
  const declarations = wrong === undefined ? readDeclarations(file.declared, file.names) : []
  const objections = objectionsOf({ file, before, classification, declarations, problem })
  const applies = advance(database, file) === undefined
  const after = applies ? readSchema(database) : classification.after
  return { file, before, after, classification, declarations, problem, objections, applies }
}

type Objected = Pick<JudgedFile, "file" | "before" | "classification" | "declarations" | "problem">

/** Those that hold for what takes or breaks something; what fails on D1 leaves all as it was. */
const binding = new Set([
  "lost-rows",
  "lost-values",
  "changed-values",
  "lost-parts",
  "cascade-parent",
  "transaction",
])

/**
 * What lint finds, of the rules that bind.
 * @param empty tables and columns of a database that hold nothing, as in `note` and `note.text`
 */
export function objectionsOf(
  { file, classification, declarations, problem }: Objected,
  empty = new Set<string>(),
): string[] {
  if (problem !== undefined) return [problem]
  const { reach } = classification
  const losses = classification.trial.losses.filter(
    ({ table, column, part }) =>
      part !== undefined || !(empty.has(table) || empty.has(`${table}.${column}`)),
  )
  const trial = { ...classification.trial, losses }
  const { sql, declared } = file
  const { findings } = judgeScript(
    { sql, declared, trial, unseen: [], unknown: [] },
    rules.filter(({ name }) => binding.has(name)),
  )
  // What D1 refuses, it says itself.
  const isSent = ({ rule, statement }: Finding) =>
    rule === "transaction" && trial.steps[statement - 1]?.failure !== undefined
  const found = findings.filter(
    (one) => one.level === "error" && binding.has(one.rule) && !isSent(one),
  )
  const alike = Map.groupBy(found, ({ statement, rewrite }) => `${statement} ${rewrite}`)
  const touched = [...reach.touched, ...reach.taken, ...losses.map(({ table }) => table)]
  const idle = declarations.filter(
    ({ table }) => table !== undefined && !touched.some((name) => isSameName(name, table)),
  )
  const guards = /\bd1_migrations_(?:before|numbers|references)_\w+/i.exec(sql)
  return [
    ...(guards === null
      ? []
      : [`${file.name} names ${guards[0]}, which the row guard makes itself`]),
    ...[...alike.values()].map((same) => {
      const [{ statement, rewrite } = { statement: 1, rewrite: "" }] = same
      const messages = same.map(({ message }) => message).join("; ")
      const advice = rewrite.replace("fix FILE", `fix ${file.name}`)
      return `${placeOf(file, statement)}: ${messages}. ${advice}`
    }),
    ...(trial.blocked === undefined ? idle : []).map(
      ({ line, does, table }) =>
        `${file.name}, line ${line} declares that it ${does} ${table}, which it does not touch: remove the line, or correct the name`,
    ),
  ]
}

/** Of the last 50 files, by them and by the content of the database. */
const classified = new Map<string, Classification>()

/** A plan, the preview in it and the `up` after it ask for the same, which takes a second each time. */
function classifyOnce(
  database: ScratchDatabase,
  file: Migration,
  isEmpty: boolean,
): Classification {
  const parts = [database.content(), JSON.stringify([file, isEmpty])]
  const key = parts.map((part) => hash("sha256", part)).join()
  const classification = classified.get(key) ?? classify(database, file, isEmpty)
  classified.set(key, classification)
  for (const oldest of [...classified.keys()].slice(0, -50)) classified.delete(oldest)
  return classification
}

/** The new ones of `files`, each on the schema that those before it leave, as far as that is known. */
export function judgeEach(
  files: Migration[],
  isNew: (file: Migration) => boolean,
  rows?: Rows,
): JudgedFile[] {
  using database = openScratchDatabase()
  return files.flatMap((file) => {
    if (isNew(file)) return judgeFile(database, file, rows)
    advance(database, file)
    return []
  })
}

/** Judges files up to the first that needs the rows: what comes after it is judged when it has run. */
export function judgeFiles(
  database: ScratchDatabase,
  pending: Migration[],
  rows?: Rows,
): JudgedFile[] {
  const judged: JudgedFile[] = []
  for (const file of pending) {
    const one = judgeFile(database, file, rows)
    judged.push(one)
    if (!one.applies) break
  }
  return judged
}

type Live = {
  /** Without the ledger. */
  objects: SchemaObject[]
  pending: Migration[]
  /** The files that it has. */
  past: Migration[]
  names: Names
}

/**
 * The same on the schema of a live database, which may not have its ledger yet. Where the files that
 * it has make the same schema, the rows that they put into it are known, too.
 */
export function judgeOn({ objects, pending, past, names }: Live): JudgedFile[] {
  const ledger = Object.values(createTables(names)).join(";\n")
  using replayed = openScratchDatabase()
  const known = past.every((file) => advance(replayed, file) === undefined)
  if (known && past.length > 0 && isSameSchema(replayed, objects)) {
    replayed.exec(ledger)
    return judgeFiles(replayed, pending)
  }
  using database = scratchDatabaseOf(objects)
  database.exec(ledger)
  return judgeFiles(database, pending, { isEmpty: !hasTables(objects) })
}

function isSameSchema(replayed: ScratchDatabase, objects: SchemaObject[]): boolean {
  const [own, live] = [replayed.objects(), objects].map((some) =>
    some.map(({ name, sql }) => JSON.stringify([name, sql])).toSorted(),
  )
  return JSON.stringify(own) === JSON.stringify(live)
}

/** The same on the schema that applied files leave; empty when only a live database can tell that. */
export function judgeAfter(applied: Migration[], pending: Migration[], rows?: Rows): JudgedFile[] {
  using database = openScratchDatabase()
  const known = applied.every((file) => advance(database, file) === undefined)
  return known ? judgeFiles(database, pending, rows) : []
}
