import type { Analysis } from "../analysis/analysis.ts"
import { analyzeFile } from "../analysis/analyze-file.ts"
import { parseScript } from "../analysis/parsed-script.ts"
import { advance } from "../analysis/run.ts"
import { failureOf } from "../failure.ts"
import { type Declaration, readDeclarations } from "../files/declarations.ts"
import type { Migration } from "../files/migration-files.ts"
import { createTables } from "../ledger/ledger.ts"
import { isDeclared } from "../lint/declared.ts"
import { rewriteOf, seededIn } from "../lint/lint.ts"
import type { Loss } from "../lint/loss.ts"
import { lossesOf } from "../lint/losses.ts"
import { findInStatements } from "../lint/statement-rules.ts"
import type { Names } from "../names.ts"
import type { BreakingChange, NewConstraint } from "../parts/schema-change.ts"
import { findTable, isSameName, quoteName, readSchema, type Table } from "../schema/schema.ts"
import {
  hasTables,
  openScratchDatabase,
  type ScratchDatabase,
  scratchDatabaseOf,
  type SchemaObject,
} from "../schema/scratch-database.ts"
import { placeOf } from "../sql/statement-place.ts"

type Classification = {
  /**
   * `destructive` loses rows, values or references. `contract` loses none, but may fail deployed versions (`breaks`,
   * `tightens`). `expand` fails no deployed version.
   */
  class: "expand" | "contract" | "destructive"
  /** Changes that fail every version that uses the table or column, with any rows. */
  breaks: BreakingChange[]
  /** New constraints, which existing rows or writes of earlier versions may violate. */
  tightens: NewConstraint[]
}

export type JudgedFile = {
  file: Migration
  /** The tables before the file. */
  before: Table[]
  /** The tables after the file, as far as they can be known without the rows. */
  after: Table[]
  classification: Classification
  analysis: Analysis
  /** Rows, values and parts that the file may lose or change. */
  losses: Loss[]
  /** Rows that earlier files inserted, by table. Each row has SQL literals by column. */
  seeds: Map<string, Record<string, string>[]>
  declarations: Declaration[]
  /** Why the declarations are invalid; undefined if they are valid. */
  problem: string | undefined
  /** Reasons to refuse the file; empty if it may run. */
  objections: string[]
  /** Warns of undeclared losses that depend on rows, with the lines that allow them. Undefined if there are none. */
  doubts: string | undefined
  /** Tables that earlier files of the run fill from rows which remain. The guard does not compare them. */
  made?: Set<string>
  /** False if the file fails without the real rows, so that the schema after it is unknown. */
  applies: boolean
}

/** `isEmpty`: the database had no tables before the files, so the files can lose nothing. */
type Rows = { isEmpty?: boolean }

/**
 * Judges a pending file by its statements and the schema. `database` has the schema and the inserted rows of earlier
 * files. This applies the file to `database`, if it runs without the real rows.
 */
export function judgeFile(
  database: ScratchDatabase,
  file: Migration,
  { isEmpty = false }: Rows = {},
): JudgedFile {
  const before = readSchema(database)
  const analysis = analyzeFile(database, parseScript(file.sql), file.names)
  const losses = isEmpty ? [] : lossesOf(analysis, seededIn(database))
  const wrong = failureOf(() => readDeclarations(file.declared, file.names))
  const problem = wrong && `${file.name}, ${wrong}`
  const declarations = wrong === undefined ? readDeclarations(file.declared, file.names) : []
  const { breaks, tightens } = analysis
  const narrows = breaks.length > 0 || tightens.length > 0
  const kind = losses.some(isDestructive) ? "destructive" : narrows ? "contract" : "expand"
  const objections = objectionsOf({ file, analysis, losses, declarations, problem })
  const open = losses.filter((loss) => loss.isSeeded !== true && !isDeclared(loss, declarations))
  const doubts =
    open.length > 0 && objections.length === 0
      ? `The rows decide whether ${file.name} is applied. ${linesFor(file, open)}`
      : undefined
  const seeds = seedsOf(database, analysis.reach.taken)
  const applies = advance(database, file) === undefined
  const after = applies ? readSchema(database) : analysis.after
  const classification: Classification = { class: kind, breaks, tightens }
  return {
    file,
    before,
    after,
    classification,
    analysis,
    losses,
    seeds,
    declarations,
    problem,
    objections,
    doubts,
    applies,
  }
}

function isDestructive({ kind, lines, isSeeded }: Loss): boolean {
  const isKept = lines.some((line) => /at most 0 rows$|^moves /.test(line))
  return isSeeded !== true && !isKept && (kind === "row" || kind === "value" || kind === "link")
}

function seedsOf(database: ScratchDatabase, tables: string[]) {
  const schema = readSchema(database)
  return new Map(
    tables.flatMap((name) => {
      const columns = findTable(schema, name)?.columns ?? []
      const list = columns.map(
        (column) => `quote(${quoteName(column.name)}) AS ${quoteName(column.name)}`,
      )
      if (list.length === 0) return []
      const rows = database.rows(`SELECT ${list.join(", ")} FROM ${quoteName(name)}`)
      const cells = rows.map((row) =>
        Object.fromEntries(Object.entries(row).map(([column, sql]) => [column, String(sql)])),
      )
      return cells.length === 0 ? [] : [[name, cells] as const]
    }),
  )
}

type Objected = Pick<JudgedFile, "file" | "analysis" | "losses" | "declarations" | "problem">

/**
 * Returns the reasons to refuse a file before it is sent: certain losses, and the missing declarations. Other losses
 * depend on rows, which the guard compares in the request.
 * @param empty names of empty tables and columns, such as `note` and `note.text`
 */
export function objectionsOf(
  { file, analysis, losses, declarations, problem }: Objected,
  empty = new Set<string>(),
): string[] {
  if (problem !== undefined) return [problem]
  const { reach, steps, own } = analysis
  const open = losses.filter(
    (loss) =>
      loss.isSeeded !== true &&
      !isDeclared(loss, declarations) &&
      !(
        loss.kind !== "part" &&
        (empty.has(loss.table) || empty.has(`${loss.table}.${loss.column}`))
      ),
  )
  const certain = open.filter(({ isCertain }) => isCertain)
  const touched = [...reach.touched, ...reach.taken, ...losses.map(({ table }) => table)]
  const idle = declarations.filter(
    ({ table }) => table !== undefined && !touched.some((name) => isSameName(name, table)),
  )
  const guards = /\bd1_migrations_(?:before|numbers|references|refused)\w*/i.exec(file.sql)
  // D1 itself reports statements that it refuses.
  const forbidden = findInStatements(analysis, ["transaction"]).filter(
    ({ level, step }) => level === "error" && step.failure === undefined,
  )
  const isRead = steps.every(({ failure }) => failure === undefined)
  return [
    ...(guards === null
      ? []
      : [
          `${file.name} names ${guards[0]}, which the row guard makes itself: give the table another name`,
        ]),
    ...forbidden.map(
      ({ step, message, rewrite }) => `${placeOf(file, step.number)}: ${message}. ${rewrite}`,
    ),
    ...certain.map((loss) => {
      const advice = rewriteOf(loss, own.declarations).replace("fix FILE", `fix ${file.name}`)
      return `${placeOf(file, loss.statement)}: ${loss.message}. ${advice}`
    }),
    ...(certain.length > 0 && open.length > 1 ? [linesFor(file, open)] : []),
    ...(isRead ? idle : []).map(
      ({ line, does, table }) =>
        `${file.name}, line ${line} declares that it ${does} ${table}, which it does not touch: remove the line, or correct the name`,
    ),
  ]
}

/** Lists all declarations that a file lacks, so that one run reports them together. */
function linesFor(file: Migration, losses: Loss[]): string {
  const lines = [...new Set(losses.flatMap((loss) => loss.lines))]
  const text = lines.map((line) => `-- ${file.names.declarations}:${line}: REASON`).join("\n")
  return `If all of it is meant, ${file.name} needs only these lines:\n${text}`
}

/** Judges the files that are new, each on the schema after the previous file. */
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

/** Judges files up to the first whose result depends on real rows. Later files are judged after it has run. */
export function judgeFiles(
  database: ScratchDatabase,
  pending: Migration[],
  rows?: Rows,
): JudgedFile[] {
  const judged: JudgedFile[] = []
  for (const file of pending) {
    const judgedFile = judgeFile(database, file, rows)
    judged.push(judgedFile)
    if (!judgedFile.applies) break
  }
  return judged
}

type Live = {
  /** The definitions of the database, without the ledger. */
  objects: SchemaObject[]
  pending: Migration[]
  /** The applied files. */
  past: Migration[]
  names: Names
}

/**
 * Judges files on the schema of a live database, which may have no ledger yet. If replaying the applied files gives
 * the same schema, judges on the replay, which also has the rows that they insert.
 */
export function judgeOn({ objects, pending, past, names }: Live): JudgedFile[] {
  const ledger = Object.values(createTables(names)).join(";\n")
  using replayed = openScratchDatabase()
  const isReplayed = past.every((file) => advance(replayed, file) === undefined)
  if (isReplayed && past.length > 0 && isSameSchema(replayed.objects(), objects)) {
    replayed.exec(ledger)
    return judgeFiles(replayed, pending)
  }
  using database = scratchDatabaseOf(objects)
  database.exec(ledger)
  return judgeFiles(database, pending, { isEmpty: !hasTables(objects) })
}

function isSameSchema(schemaObjects: SchemaObject[], live: SchemaObject[]): boolean {
  const [replayedText, liveText] = [schemaObjects, live].map((objects) =>
    objects.map(({ name, sql }) => JSON.stringify([name, sql])).toSorted(),
  )
  return JSON.stringify(replayedText) === JSON.stringify(liveText)
}

/** Judges files on the schema after the applied files. Empty if these cannot be replayed without real rows. */
export function judgeAfter(applied: Migration[], pending: Migration[], rows?: Rows): JudgedFile[] {
  using database = openScratchDatabase()
  const isReplayed = applied.every((file) => advance(database, file) === undefined)
  return isReplayed ? judgeFiles(database, pending, rows) : []
}
