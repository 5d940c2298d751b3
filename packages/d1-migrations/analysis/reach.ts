import { isOwnTable, type Names } from "../names.ts"
import type { LiveTable, LiveTables } from "../schema/live-tables.ts"
import { findTable, type Table } from "../schema/schema.ts"
import type { ScratchDatabase } from "../schema/scratch-database.ts"
import type { StatementEffect } from "../schema/statement-effect.ts"
import type { Reach } from "./analysis.ts"
import { isPlainInsert, mayRepeat, replacesRows } from "./inserts.ts"
import type { ParsedStatement } from "./parsed-script.ts"
import type { StatementResult } from "./run.ts"

type Reaching = {
  scratch: ScratchDatabase
  before: Table[]
  former: Map<LiveTable, string>
  tables: LiveTables
  statements: ParsedStatement[]
}

/** Collects the tables that a file reaches from the effects that SQLite reports at compile time, without any rows. */
export function reachOf({ scratch, before, former, tables, statements }: Reaching) {
  const nameOf = (name: string) =>
    former.get(tables.findByName(name) ?? { name: "", dropped: true })
  const formerTable = (name: string) => findTable(before, nameOf(name) ?? "")
  const touched = new Set<string>()
  const reduced = new Set<string>()
  const added = new Set<string>()
  const repeated = new Set<string>()
  const writing = new Map<string, number[]>()
  const indirect = new Set<string>()
  return {
    note(number: number, effect: StatementEffect): void {
      const { drops, writes, cascades, byTriggers } = effect
      const statement = statements[number - 1]
      const directTable = writes?.table ?? ""
      const isAdding = isPlainInsert(scratch, statement, effect)
      for (const name of [...drops, directTable, ...cascades, ...byTriggers]) {
        const originalName = nameOf(name)
        if (originalName === undefined) continue
        touched.add(originalName)
        const isOwn = name === directTable && !byTriggers.includes(name) && !cascades.includes(name)
        if (isOwn && !replacesRows(scratch, directTable)) {
          writing.set(originalName, [...(writing.get(originalName) ?? []), number])
        } else indirect.add(originalName)
        // An INSERT that the parser cannot read may take rows from any table.
        const node = statement?.node
        const isRepeated = node ? mayRepeat(node, formerTable, isKeyless) : writes?.by === "insert"
        if (isOwn && isRepeated) repeated.add(originalName)
        if (isOwn && isAdding) added.add(originalName)
        else reduced.add(originalName)
      }
      const altered = alteredBy(statement?.node)
      const originalName = altered === undefined ? undefined : nameOf(altered)
      if (originalName === undefined) return
      reduced.add(originalName)
      indirect.add(originalName)
    },
    end(steps: StatementResult[], names: Names): Reach {
      for (const [live, originalName] of former) {
        const taker = tables.findByName(originalName)
        if (!live.dropped && taker !== live && taker !== undefined) reduced.add(originalName)
      }
      // A statement that SQLite cannot compile may reach any table.
      const isCompiled = steps.every(({ effect }) => effect !== undefined)
      const uncompiled = isCompiled ? [] : before.map(({ name }) => name)
      const foreign = (tableNames: Iterable<string>) =>
        [...new Set(tableNames)].filter((name) => !isOwnTable(name, names))
      return {
        touched: foreign(touched),
        taken: foreign([...reduced, ...uncompiled]),
        added: [...added],
        repeated: foreign(repeated),
        written: new Map(
          [...writing].filter(
            ([name]) => !indirect.has(name) && !isFollowing(before, name) && isCompiled,
          ),
        ),
      }
    },
  }
}

/** Returns whether foreign keys of a table may delete or change its rows. */
function isFollowing(schema: Table[], name: string): boolean {
  const keys = findTable(schema, name)?.foreignKeys ?? []
  return keys.some(({ onDelete, onUpdate }) =>
    [onDelete, onUpdate].some((action) => /CASCADE|SET/.test(action)),
  )
}

/** Returns the table in which a statement drops or renames a column. The new name may have been another column's. */
function alteredBy(node: ParsedStatement["node"]): string | undefined {
  if (node?.type !== "AlterTableStmt") return undefined
  const kinds = ["DropColumnAlterTableBody", "RenameColumnAlterTableBody"]
  return kinds.includes(node.body.type) ? node.tblName.objName.text : undefined
}

function isKeyless({ columns, uniques }: Table): boolean {
  return uniques.length === 0 && !columns.some(({ inPrimaryKey }) => inPrimaryKey)
}
