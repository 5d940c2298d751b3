import type { Migration } from "../files/migration-files.ts"
import type { ParsedStatement } from "../lint/parsed-script.ts"
import { mayRepeat } from "../provenance/conditions.ts"
import { runFile } from "../provenance/run.ts"
import { followTables, type LiveTable } from "../schema/live-tables.ts"
import { findTable, readSchema, type Table } from "../schema/schema.ts"
import type { ScratchDatabase } from "../schema/scratch-database.ts"
import type { StatementEffect } from "../schema/statement-effect.ts"
import { adds, replaces } from "./plain-insert.ts"

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

/**
 * From what SQLite says of each statement while it compiles it, which no row decides.
 * @param database the schema without rows, which afterwards is the one that the file leaves
 */
export function reachOf(
  database: ScratchDatabase,
  { statements }: Migration,
  parsed: ParsedStatement[],
): Reach {
  const before = readSchema(database)
  const tables = followTables(database)
  const known = new Map<LiveTable, string>()
  for (const { name } of before) {
    const live = tables.named(name)
    if (live !== undefined) known.set(live, name)
  }
  const nameOf = (name: string) => known.get(tables.named(name) ?? { name: "", dropped: true })
  const touched = new Set<string>()
  const taken = new Set<string>()
  const added = new Set<string>()
  const repeated = new Set<string>()
  const writing = new Map<string, number[]>()
  const others = new Set<string>()
  const former = (name: string) => findTable(before, nameOf(name) ?? "")
  const note = (number: number, effect: StatementEffect): void => {
    const { drops, writes, follows, byTriggers } = effect
    const own = writes?.table ?? ""
    const isAdding = adds(database, parsed[number - 1], effect)
    for (const name of [...drops, own, ...follows, ...byTriggers]) {
      const was = nameOf(name)
      if (was === undefined) continue
      touched.add(was)
      const isOwn = name === own && !byTriggers.includes(name) && !follows.includes(name)
      if (isOwn && !replaces(database, own)) writing.set(was, [...(writing.get(was) ?? []), number])
      else others.add(was)
      if (isOwn && mayRepeat(parsed[number - 1]?.node, former, isKeyless)) repeated.add(was)
      if (isOwn && isAdding) added.add(was)
      else taken.add(was)
    }
    const altered = alteredBy(parsed[number - 1]?.node)
    const was = altered === undefined ? undefined : nameOf(altered)
    if (was === undefined) return
    taken.add(was)
    others.add(was)
  }
  const { steps } = runFile(database, statements, {
    goOn: true,
    before: note,
    after: (_, { changesSchema }) => {
      if (changesSchema) tables.look()
    },
  })
  for (const [live, was] of known) {
    const taker = tables.named(was)
    if (!live.dropped && taker !== live && taker !== undefined) taken.add(was)
  }
  // Of what cannot be compiled it is not known what it reaches.
  const isCompiled = steps.every(({ effect }) => effect !== undefined)
  const all = isCompiled ? [] : before.map(({ name }) => name)
  return {
    touched: [...touched],
    taken: [...new Set([...taken, ...all])],
    added: [...added],
    repeated: [...repeated],
    written: new Map(
      [...writing].filter(
        ([name]) => !others.has(name) && !isFollowing(before, name) && all.length === 0,
      ),
    ),
  }
}

/** Whether keys may take or change rows along with others, of its own, too. */
function isFollowing(schema: Table[], name: string): boolean {
  const keys = findTable(schema, name)?.foreignKeys ?? []
  return keys.some(({ onDelete, onUpdate }) =>
    [onDelete, onUpdate].some((action) => /CASCADE|SET/.test(action)),
  )
}

/** The table of which a statement drops a column, or gives one the name that another may have had. */
function alteredBy(node: ParsedStatement["node"]): string | undefined {
  if (node?.type !== "AlterTableStmt") return undefined
  const kinds = ["DropColumnAlterTableBody", "RenameColumnAlterTableBody"]
  return kinds.includes(node.body.type) ? node.tblName.objName.text : undefined
}

function isKeyless({ columns, uniques }: Table): boolean {
  return uniques.length === 0 && !columns.some(({ inPrimaryKey }) => inPrimaryKey)
}
