import type { Expr } from "sqlite3-parser"

import type { Names } from "../names.ts"
import type { Part } from "../parts/parts.ts"
import type { BreakingChange, NewConstraint } from "../parts/schema-change.ts"
import type { LiveTable, LiveTables } from "../schema/live-tables.ts"
import type { ForeignKey, Table } from "../schema/schema.ts"
import type { SchemaObject } from "../schema/scratch-database.ts"
import type { ParsedStatement } from "./parsed-script.ts"
import type { Arm, Output, Source } from "./query.ts"
import type { StatementResult } from "./run.ts"

export type Step = ParsedStatement & StatementResult

/** An effect of a statement on rows or columns of one table. */
export type Operation = { number: number; table: LiveTable } & (
  | { does: "copy"; arm: Arm; columns: string[]; conflict: string | undefined }
  | { does: "update"; sets: Assignment[]; where: Expr | undefined; isJoined: boolean }
  | { does: "delete"; where: Expr | undefined; isLimited: boolean }
  /** `names`: what tables are called then; `isWritten`: whether the file has written it before. */
  | { does: "drop"; names: Map<LiveTable, string>; isWritten: boolean }
  | { does: "drop column"; column: string; origins: Source[] }
  | { does: "replace" }
  /** A foreign key changes rows because `parent` is written, or makes the statement fail. */
  | { does: "follow"; key: ForeignKey; parent: LiveTable; by: WriteKind; isBlocked: boolean }
  /** A trigger that the statement sets off writes a column, or deletes rows. */
  | { does: "fire"; column: string | undefined }
)

type WriteKind = "drop" | "insert" | "update" | "delete"

export type Assignment = { column: string; output: Output; origins: Source[] }

/** The effects of a file on a schema, by its statements and what SQLite reports of each; no row is read. */
export type Analysis = {
  own: Names
  steps: Step[]
  /** The tables before and after the file. */
  before: Table[]
  after: Table[]
  /** The definitions before the file. */
  objects: SchemaObject[]
  operations: Operation[]
  tables: LiveTables
  /** The names of the original tables. */
  former: Map<LiveTable, string>
  /** The original columns whose values a column has at the end, unchanged or with NULL filled. */
  origins: (table: LiveTable, column: string) => Source[]
  /** The last statement that writes rows of a table, by its number. */
  written: Map<LiveTable, number>
  reach: Reach
  /** Lost parts of tables that remain, and views and triggers that no longer work. */
  lostParts: LostPart[]
  breaks: BreakingChange[]
  tightens: NewConstraint[]
}

export type LostPart = {
  part: Part
  statement: number
  broken: boolean
  /** Whether a statement drops or widens it explicitly. */
  isSaid: boolean
}

/** Original tables, by their original names, that a file affects by statements, foreign keys or triggers. */
export type Reach = {
  /** Dropped or written tables. */
  touched: string[]
  /** Tables that may lose rows or values; plain INSERTs lose none. */
  taken: string[]
  /** Tables that get rows by INSERT. */
  added: string[]
  /** Tables that may get their own rows again. */
  repeated: string[]
  /** Tables that only direct statements write, with their numbers: no foreign key, trigger, DROP or conflict. */
  written: Map<string, number[]>
}
