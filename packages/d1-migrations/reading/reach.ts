import { isOwnTable, type Names } from "../names.ts"
import type { LiveTable, LiveTables } from "../schema/live-tables.ts"
import { findTable, type Table } from "../schema/schema.ts"
import type { ScratchDatabase } from "../schema/scratch-database.ts"
import type { StatementEffect } from "../schema/statement-effect.ts"
import { adds, mayRepeat, replaces } from "./inserts.ts"
import type { ParsedStatement } from "./parsed-script.ts"
import type { Reach } from "./reading.ts"
import type { Ran } from "./run.ts"

type Reaching = {
  scratch: ScratchDatabase
  before: Table[]
  former: Map<LiveTable, string>
  tables: LiveTables
  statements: ParsedStatement[]
}

/** From what SQLite says of each statement while it compiles it, which no row decides. */
export function reachOf({ scratch, before, former, tables, statements }: Reaching) {
  const nameOf = (name: string) => former.get(tables.named(name) ?? { name: "", dropped: true })
  const formerTable = (name: string) => findTable(before, nameOf(name) ?? "")
  const touched = new Set<string>()
  const taken = new Set<string>()
  const added = new Set<string>()
  const repeated = new Set<string>()
  const writing = new Map<string, number[]>()
  const others = new Set<string>()
  return {
    note(number: number, effect: StatementEffect): void {
      const { drops, writes, follows, byTriggers } = effect
      const statement = statements[number - 1]
      const own = writes?.table ?? ""
      const isAdding = adds(scratch, statement, effect)
      for (const name of [...drops, own, ...follows, ...byTriggers]) {
        const was = nameOf(name)
        if (was === undefined) continue
        touched.add(was)
        const isOwn = name === own && !byTriggers.includes(name) && !follows.includes(name)
        if (isOwn && !replaces(scratch, own)) {
          writing.set(was, [...(writing.get(was) ?? []), number])
        } else others.add(was)
        // What the parser does not know may take rows from anywhere.
        const node = statement?.node
        const isRepeated = node ? mayRepeat(node, formerTable, isKeyless) : writes?.by === "insert"
        if (isOwn && isRepeated) repeated.add(was)
        if (isOwn && isAdding) added.add(was)
        else taken.add(was)
      }
      const altered = alteredBy(statement?.node)
      const was = altered === undefined ? undefined : nameOf(altered)
      if (was === undefined) return
      taken.add(was)
      others.add(was)
    },
    end(steps: Ran[], names: Names): Reach {
      for (const [live, was] of former) {
        const taker = tables.named(was)
        if (!live.dropped && taker !== live && taker !== undefined) taken.add(was)
      }
      // Of what cannot be compiled it is not known what it reaches.
      const isCompiled = steps.every(({ effect }) => effect !== undefined)
      const all = isCompiled ? [] : before.map(({ name }) => name)
      const foreign = (some: Iterable<string>) =>
        [...new Set(some)].filter((name) => !isOwnTable(name, names))
      return {
        touched: foreign(touched),
        taken: foreign([...taken, ...all]),
        added: [...added],
        repeated: foreign(repeated),
        written: new Map(
          [...writing].filter(
            ([name]) => !others.has(name) && !isFollowing(before, name) && isCompiled,
          ),
        ),
      }
    },
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
