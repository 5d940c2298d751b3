import { constants } from "node:sqlite"

/** A question of SQLite to its authorizer; `trigger` is set for what a trigger would do. */
export type Request = { action: number; first: string; second: string; trigger: string | null }

/** The effect of a statement, from what SQLite asked its authorizer while it compiled it. */
export type StatementEffect = {
  /** Tables that it drops. */
  drops: string[]
  /** The table whose rows it changes explicitly. */
  writes: { table: string; by: "insert" | "update" | "delete" } | undefined
  /** Tables whose rows foreign keys delete or change. */
  cascades: string[]
  /** Tables, and views, whose schema or rows it needs in any way. */
  names: string[]
  /** Tables that triggers write. */
  byTriggers: string[]
  /** Tables whose rowids triggers or views read. */
  numbered: string[]
  /** Tables that it gives an index. */
  indexes: string[]
  /** Names of triggers, indexes and views that it drops explicitly, not with their table. */
  dropsObjects: string[]
  changesSchema: boolean
  /** Whether it sets the last number of AUTOINCREMENT explicitly. */
  writesSequences: boolean
}

const kinds = new Map([
  [constants.SQLITE_INSERT, "insert"],
  [constants.SQLITE_UPDATE, "update"],
  [constants.SQLITE_DELETE, "delete"],
] as const)

const objectDrops = new Set([
  constants.SQLITE_DROP_TRIGGER,
  constants.SQLITE_DROP_INDEX,
  constants.SQLITE_DROP_VIEW,
])
const dropActions = new Set([constants.SQLITE_DROP_TABLE, constants.SQLITE_DROP_VTABLE])

export function effectOf(requests: Request[]): StatementEffect {
  const drops = requests.filter(({ action }) => dropActions.has(action)).map(({ first }) => first)
  // The schema tells what a trigger writes.
  const changes = requests.flatMap(({ action, first: table, trigger }) => {
    const by = kinds.get(action)
    return by === undefined || trigger !== null ? [] : [{ table, by }]
  })
  const byTriggers = requests.flatMap(({ action, first, trigger }) =>
    kinds.has(action) && trigger !== null ? [first] : [],
  )
  const ofRows = changes.filter(({ table }) => !isInternal(table) && !drops.includes(table))
  const writes = drops.length === 0 ? ofRows[0] : undefined
  const followers = ofRows.map(({ table }) => table).filter((table) => table !== writes?.table)
  const changesSchema = changes.some(({ table }) => table === "sqlite_master")
  return {
    names: [...new Set(requests.flatMap(namedBy))].filter((name) => !isInternal(name)),
    drops,
    writes,
    cascades: [...new Set(followers)],
    byTriggers: [...new Set(byTriggers)],
    numbered: requests.flatMap(({ action, first, second, trigger }) =>
      action === constants.SQLITE_READ && second === "ROWID" && trigger !== null ? [first] : [],
    ),
    indexes: requests.flatMap(({ action, first, second }) =>
      action === constants.SQLITE_CREATE_INDEX && !isInternal(first) ? [second] : [],
    ),
    dropsObjects:
      drops.length > 0
        ? []
        : requests.filter(({ action }) => objectDrops.has(action)).map(({ first }) => first),
    changesSchema,
    writesSequences:
      !changesSchema &&
      requests.some(({ action, first }) => kinds.has(action) && first === "sqlite_sequence"),
  }
}

const inSecond = new Set([
  constants.SQLITE_ALTER_TABLE,
  constants.SQLITE_CREATE_INDEX,
  constants.SQLITE_DROP_INDEX,
  constants.SQLITE_CREATE_TRIGGER,
  constants.SQLITE_DROP_TRIGGER,
])

function namedBy({ action, first, second }: Request): string[] {
  if (inSecond.has(action)) return [second]
  return action === constants.SQLITE_READ || kinds.has(action) || dropActions.has(action)
    ? [first]
    : []
}

function isInternal(table: string): boolean {
  return table.startsWith("sqlite_")
}
