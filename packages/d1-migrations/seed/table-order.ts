import { type ForeignKey, isSameName, type Table } from "../schema/schema.ts"
import { folded } from "../sql/folded.ts"

/** A table, and which of its references find rows when its turn comes. */
export type Turn = {
  table: Table
  /** To tables before it. */
  found: ForeignKey[]
  /** To itself. */
  own: ForeignKey[]
  /** To tables after it, in a circle: empty at first, and filled when those have rows. */
  postponed: ForeignKey[]
  /** The same, but may not be empty: they name rows that come later in the same request. */
  ahead: ForeignKey[]
  /** Columns that rows before these name ahead, so their values are known beforehand. */
  awaited: string[]
}

/** Parents before children. Where references go in a circle, one that may be empty breaks it. */
export function orderTables(schema: Table[]): Turn[] {
  const turns: Turn[] = []
  const byName = new Map(schema.map((table) => [folded(table.name), table]))
  const left = new Set(schema)
  const done = new Set<Table>()
  while (left.size > 0) {
    const table = cheapest()
    if (table === undefined) break
    left.delete(table)
    done.add(table)
    turns.push(turnOf(table))
  }
  return turns

  function cheapest(): Table | undefined {
    let best: { table: Table; cost: number } | undefined
    for (const table of left) {
      const cost = costOf(table)
      if (best === undefined || cost < best.cost) best = { table, cost }
      if (cost === 0) break
    }
    return best?.table
  }

  /** 0 when all parents are done; less than 1000 when those that are not may wait. */
  function costOf(table: Table): number {
    const waiting = table.foreignKeys.filter((key) => isWaiting(table, key))
    return waiting.reduce((sum, key) => sum + (isOptional(table, key) ? 1 : 1000), 0)
  }

  function isWaiting(table: Table, { parent }: ForeignKey): boolean {
    const found = byName.get(folded(parent))
    return found !== undefined && found !== table && !done.has(found)
  }

  function turnOf(table: Table): Turn {
    const own = table.foreignKeys.filter(({ parent }) => isSameName(parent, table.name))
    const waiting = table.foreignKeys.filter((key) => isWaiting(table, key))
    return {
      table,
      own,
      found: table.foreignKeys.filter((key) => !own.includes(key) && !waiting.includes(key)),
      postponed: waiting.filter((key) => isOptional(table, key)),
      ahead: waiting.filter((key) => !isOptional(table, key)),
      awaited: turns
        .flatMap((turn) => turn.ahead)
        .filter(({ parent }) => isSameName(parent, table.name))
        .flatMap(({ parentColumns }) => parentColumns),
    }
  }
}

/** One empty column makes a reference empty. */
export function isOptional(table: Table, { columns }: ForeignKey): boolean {
  return columns.some((name) => isNullable(table, name))
}

/** SQLite takes NULL in most primary keys; nobody means that. */
export function isNullable({ columns }: Table, name: string): boolean {
  const column = columns.find((one) => isSameName(one.name, name))
  return column !== undefined && !column.notNull && !column.inPrimaryKey
}
