import { isCounting } from "../classification/checks.ts"
import { adds } from "../classification/plain-insert.ts"
import type { ParsedStatement } from "../lint/parsed-script.ts"
import { followTables, type LiveTable } from "../schema/live-tables.ts"
import { findTable, isSameName, readSchema, type Table } from "../schema/schema.ts"
import type { ScratchDatabase } from "../schema/scratch-database.ts"
import type { StatementEffect } from "../schema/statement-effect.ts"
import { folded } from "../sql/folded.ts"
import { brokenParts } from "./broken-parts.ts"
import { conditionsIn, insertedRows } from "./conditions.ts"
import { type Fate, fatesOf } from "./fates.ts"
import type { Former } from "./former.ts"
import { type HeldTable, holdTable } from "./held-tables.ts"
import { lostParts, type Part, readParts, sequencesOf } from "./parts.ts"
import type { ColumnMap } from "./same-rows.ts"

/** Something that is not as it was before the file. */
export type Difference =
  | { fate: Fate; part?: never }
  | { part: Part; broken: boolean; isSaid: boolean; fate?: never }

type Known = {
  held: HeldTable
  live: LiveTable
  /** Names of its columns now, in the order of before. */
  names: (string | undefined)[]
  /** All of its columns now. */
  layout: string[]
}

/** Compares a database with what it is now, while a file runs on it. */
export function watch(database: ScratchDatabase, watched: string[]) {
  const among = new Set(watched)
  const tables = followTables(database)
  const schema = readSchema(database).filter(({ name }) => among.has(name))
  const known = schema.flatMap((table): Known[] => {
    const live = tables.named(table.name)
    const held = holdTable(database, table)
    const names = held.columns
    return live === undefined ? [] : [{ held, live, names, layout: names }]
  })
  const old = new Set(tables.names().keys())
  /** Tables of before that are not watched. */
  const apart = new Set<LiveTable | undefined>(old)
  for (const { live } of known) apart.delete(live)
  const parts = readParts(database, ...watched)
  const sequences = sequencesOf(database)
  const broken = new Set(brokenParts(database).map(({ name }) => name))
  const written = new Set<string>()
  /** Tables that may hold what others held before: rows that foreign keys delete go nowhere. */
  const received = new Set<string>()
  /** Those into which an INSERT has put rows of their own again. */
  const repeating = new Set<string>()
  /** What words do to rows that are there, and tables that foreign keys or triggers have written. */
  const said = new Map<string, Set<Doing>>()
  const along = new Set<string>()
  const dropped: string[] = []
  let changed = false
  /** Whether words have given AUTOINCREMENT another number to go on from. */
  let renumbered = false

  const isMade = (name: string) => {
    const live = tables.named(name)
    return live !== undefined && !old.has(live)
  }

  /** To be called after each statement. */
  const follow = (effect: StatementEffect, statement: ParsedStatement | undefined): void => {
    const node = statement?.node
    const nameOf = (name: string) => {
      const table = tables.named(name)
      return known.find(({ live }) => live === table)?.held.name ?? ""
    }
    const own = nameOf(effect.writes?.table ?? "")
    const { into, taken } = insertedRows(node)
    if (taken.some((name) => isSameName(name, into))) repeating.add(own)
    // Rows that come back from a table the file made: those that stay away were not deleted in words.
    const isPutBack = node?.type === "InsertStmt" && conditionsIn(node).sources.some(isMade)
    if (effect.writes !== undefined && (isPutBack || !adds(database, statement, effect))) {
      said.set(own, (said.get(own) ?? new Set()).add(doingOf(node)))
    }
    for (const name of [effect.writes?.table ?? "", ...effect.follows, ...effect.byTriggers]) {
      written.add(folded(name))
      if (!effect.cascades.includes(name)) received.add(folded(name))
    }
    for (const name of [...effect.follows, ...effect.byTriggers]) along.add(nameOf(name))
    dropped.push(...effect.dropsObjects)
    changed ||= effect.changesSchema
    renumbered ||= effect.writesSequences
    if (!effect.changesSchema) return
    tables.look()
    for (const one of known) {
      if (one.live.dropped) continue
      const columns = "SELECT name FROM temp.pragma_table_xinfo(?)"
      const layout = database.texts(columns, one.live.name)
      one.names = one.names.map((name) => nameAfter(name, one.layout, layout))
      one.layout = layout
    }
  }

  const formerOf = ({ held, live, names }: Known, now: Table[], read: Read): Former => {
    // Where another table or column has taken its name, who reads it reads that one.
    const own = live.dropped ? tables.named(live.name) : live
    const table = tables.named(held.name) ?? own
    const home = table === undefined ? undefined : findTable(now, table.name)
    if (home === undefined) return { held, home: undefined, columns: [], same: false }
    const same = table === live
    const isThere = (name: string) => home.columns.some((one) => isSameName(one.name, name))
    const current = held.columns.map((name, index) =>
      same && !isThere(name) ? names[index] : name,
    )
    const positions = current.map((name) => {
      const at = home.columns.findIndex((one) => isSameName(one.name, name ?? ""))
      return at < 0 ? undefined : at
    })
    const there = read(home)
    return { held, home: there, columns: same ? positions : withKey(held, there, positions), same }
  }

  let now = schema
  let partsNow = parts
  let breaking: Part[] = []

  /** What differs from before the file. */
  const compare = () => {
    if (changed) {
      now = readSchema(database).filter(({ name }) => !apart.has(tables.named(name)))
      partsNow = readParts(database, ...now.map(({ name }) => name))
      breaking = brokenParts(database).filter(({ name }) => !broken.has(name))
      changed = false
    }
    const cache = new Map<string, HeldTable>()
    const read: Read = (table) => {
      const found = cache.get(table.name) ?? holdTable(database, table)
      cache.set(table.name, found)
      return found
    }
    const formers = known.map((one) => formerOf(one, now, read))
    // What no statement has touched is as it was.
    const disturbed = formers.filter(
      ({ held, same, home }, index) =>
        !same ||
        written.has(folded(held.name)) ||
        written.has(folded(home?.name ?? "")) ||
        known[index]?.names.join() !== held.columns.join(),
    )
    const targets = now.filter(({ name }) => isMade(name) || received.has(folded(name)))
    const { fates, places } = fatesOf({
      formers: disturbed,
      targets: targets.map(read),
      all: now
        .filter(({ name }) => among.has(name) || targets.some((one) => one.name === name))
        .map(read),
      repeating,
      says: (name, doing) => !along.has(name) && [...(said.get(name) ?? [])].join() === doing,
    })
    const homes = new Map(formers.map(({ held, home }) => [folded(held.name), home?.name]))
    const lost = lostParts({
      before: [...parts, ...sequences],
      after: [...partsNow, ...sequencesOf(database)],
      nameNow: (table) => (homes.has(folded(table)) ? homes.get(folded(table)) : table),
      columnNow: (table, column) => {
        const former = formers.find(({ held }) => isSameName(held.name, table))
        const at = former?.held.columns.findIndex((one) => isSameName(one, column))
        const position = former?.columns[at ?? -1]
        return position === undefined ? undefined : former?.home?.columns[position]
      },
    })
    const differences: Difference[] = [
      ...fates.map((fate) => ({ fate })),
      ...lost.map((part) => ({
        part,
        broken: false,
        isSaid:
          part.kind === "sequence"
            ? !renumbered && isCounting(database, homes.get(folded(part.table)) ?? "")
            : dropped.some((name) => isSameName(name, part.name)) &&
              part.kind !== "trigger" &&
              part.kind !== "view",
      })),
      ...breaking.map((part) => ({ part, broken: true, isSaid: false })),
    ]
    return { differences, places, names: homes }
  }
  return { tables, known, follow, compare }
}

export type Watched = ReturnType<typeof watch>

type Read = (table: Table) => HeldTable

/** What the words of a statement do to rows: `empty` puts NULL into columns, and nothing that is computed. */
export type Doing = "delete" | "empty" | "other"

function doingOf(node: ParsedStatement["node"]): Doing {
  if (node?.type === "DeleteStmt") return "delete"
  const isEmptying =
    node?.type === "UpdateStmt" &&
    node.orConflict === undefined &&
    node.sets.every(({ expr }) => expr.type === "NullLiteral")
  return isEmptying ? "empty" : "other"
}

/** A copy may give the key another name: it is where most of its values are, in a column of no other one. */
function withKey(held: HeldTable, home: HeldTable, positions: ColumnMap): ColumnMap {
  const taken = new Set(positions)
  const free = [...home.columns.keys()].filter((position) => !taken.has(position))
  return positions.map((known, index) => {
    if (known !== undefined || !held.key.includes(index)) return known
    const values = [...(held.index[index]?.keys() ?? [])]
    return free.find((position) => {
      const found = values.filter((value) => home.index[position]?.has(value) === true)
      return found.length * 2 > values.length
    })
  })
}

/** ALTER TABLE changes one column at a time: one that is renamed keeps its place. */
function nameAfter(name: string | undefined, was: string[], is: string[]): string | undefined {
  if (name === undefined || is.includes(name)) return name
  return was.length === is.length ? is[was.indexOf(name)] : undefined
}
