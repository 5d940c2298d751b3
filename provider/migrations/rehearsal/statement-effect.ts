import { constants } from "node:sqlite"

/** What SQLite asks its authorizer; `trigger` is set for what a trigger would do. */
export type Request = { action: number; first: string; second: string; trigger: string | null }

/** What a statement does, from what SQLite asked its authorizer while it compiled it. */
export type StatementEffect = {
  /** Tables that it drops. */
  drops: string[]
  /** The table whose rows it changes in words. */
  writes: { table: string; by: "insert" | "update" | "delete" } | undefined
  /** Tables whose rows foreign keys delete or change along with it. */
  follows: string[]
  /** Tables for which it makes an index. */
  indexes: string[]
  changesSchema: boolean
}

const kinds = new Map([
  [constants.SQLITE_INSERT, "insert"],
  [constants.SQLITE_UPDATE, "update"],
  [constants.SQLITE_DELETE, "delete"],
] as const)

const dropActions = new Set([constants.SQLITE_DROP_TABLE, constants.SQLITE_DROP_VTABLE])

export function effectOf(requests: Request[]): StatementEffect {
  const drops = requests.filter(({ action }) => dropActions.has(action)).map(({ first }) => first)
  // What a trigger writes, the schema says in words, too.
  const changes = requests.flatMap(({ action, first: table, trigger }) => {
    const by = kinds.get(action)
    return by === undefined || trigger !== null ? [] : [{ table, by }]
  })
  const ofRows = changes.filter(({ table }) => !isInternal(table) && !drops.includes(table))
  const writes = drops.length === 0 ? ofRows[0] : undefined
  const follows = ofRows.map(({ table }) => table).filter((table) => table !== writes?.table)
  return {
    drops,
    writes,
    follows: [...new Set(follows)],
    indexes: requests.flatMap(({ action, first, second }) =>
      action === constants.SQLITE_CREATE_INDEX && !isInternal(first) ? [second] : [],
    ),
    changesSchema: changes.some(({ table }) => table === "sqlite_master"),
  }
}

function isInternal(table: string): boolean {
  return table.startsWith("sqlite_")
}
