import type { Expr } from "sqlite3-parser"

import type { Names } from "../names.ts"
import type { Part } from "../parts/parts.ts"
import type { BreakingChange, NewConstraint } from "../parts/schema-change.ts"
import type { LiveTable, LiveTables } from "../schema/live-tables.ts"
import type { Table } from "../schema/schema.ts"
import type { SchemaObject } from "../schema/scratch-database.ts"
import type { ParsedStatement } from "./parsed-script.ts"
import type { Arm, Output, Source } from "./query.ts"
import type { StatementResult } from "./run.ts"

export type Step = ParsedStatement & StatementResult

/** What a statement does to rows or columns of one table. */
export type Operation = { number: number; table: LiveTable } & (
  | { does: "copy"; arm: Arm; columns: string[]; conflict: string | undefined }
  | { does: "update"; sets: Assignment[]; where: Expr | undefined; isJoined: boolean }
  | { does: "delete"; where: Expr | undefined; isLimited: boolean }
  /** `names`: what tables are called then; `isWritten`: whether the file has written it before. */
  | { does: "drop"; names: Map<LiveTable, string>; isWritten: boolean }
  | { does: "drop column"; column: string; origins: Source[] }
  | { does: "replace" }
)

export type Assignment = { column: string; output: Output; origins: Source[] }

/** What a file does to a schema, by its statements and by what SQLite says of each: no row has a part in it. */
export type Analysis = {
  own: Names
  steps: Step[]
  /** The tables that it finds, and those that it leaves. */
  before: Table[]
  after: Table[]
  /** What it finds. */
  objects: SchemaObject[]
  operations: Operation[]
  tables: LiveTables
  /** Tables of before by what they were called. */
  former: Map<LiveTable, string>
  /** Whose values the columns of a table are at the end, as they are or filled: columns of before. */
  origins: (table: LiveTable, column: string) => Source[]
  /** The last statement that writes rows of a table, by its number. */
  written: Map<LiveTable, number>
  reach: Reach
  /** Parts of tables of before that go, though what they belong to stays, and those that no longer work. */
  lostParts: LostPart[]
  breaks: BreakingChange[]
  tightens: NewConstraint[]
}

export type LostPart = {
  part: Part
  statement: number
  broken: boolean
  /** Whether a statement drops it in words. */
  isSaid: boolean
}

/** Tables of before, by their names of then, that a file reaches by words, foreign keys or triggers. */
export type Reach = {
  /** That it drops or whose rows it writes. */
  touched: string[]
  /** Those of them of which it may take rows or values: what only adds takes none. */
  taken: string[]
  /** Those to which an INSERT adds rows. */
  added: string[]
  /** Those to which one may add rows again that they have. */
  repeated: string[]
  /** Those that nothing but statements of its own writes, row by row: no key, trigger, drop or conflict. */
  written: Map<string, number[]>
}
