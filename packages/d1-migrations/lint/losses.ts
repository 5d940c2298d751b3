import { type Expr, type Stmt, traverse } from "sqlite3-parser"

import { declaredName } from "../files/declarations.ts"
import { heldColumns, homesOf } from "../reading/homes.ts"
import type { LostPart, Reading } from "../reading/reading.ts"
import { columnOf } from "../reading/syntax.ts"
import type { LiveTable } from "../schema/live-tables.ts"
import { findTable, isRowid, isSameName, type Table } from "../schema/schema.ts"
import { columnLosses } from "./column-losses.ts"
import {
  type Loss,
  type Earlier,
  type Context,
  carriersOf,
  isPutBack,
  isNamedSeed,
} from "./loss.ts"
import { alongLosses } from "./reference-losses.ts"
import { updated, replaced } from "./write-losses.ts"

/** @param isSeeded whether a condition on a table finds a row that earlier files have written */
export function lossesOf(
  reading: Reading,
  {
    earlier = [],
    isSeeded = () => false,
  }: { earlier?: Earlier[]; isSeeded?: (table: Table, condition: string) => boolean } = {},
): Loss[] {
  const context = { reading, earlier, isSeeded }
  const found = [
    ...reading.before.flatMap((table) => {
      const { taken, repeated } = reading.reach
      const isMeant = [...taken, ...repeated].some((name) => isSameName(name, table.name))
      return isMeant ? lossesOfTable(context, table) : []
    }),
    ...alongLosses(context),
    ...reading.lostParts.map(partLoss),
  ]
  const seen = new Set<string>()
  return found.filter((loss) => {
    const key = [
      loss.kind,
      loss.table,
      loss.column,
      loss.part?.part.name,
      loss.part?.part.kind,
    ].join("\n")
    const isNew = !seen.has(key)
    seen.add(key)
    return isNew
  })
}

function lossesOfTable(context: Context, table: Table): Loss[] {
  const { reading } = context
  const { deeds, tables } = reading
  const own = tables.first(table.name)
  const homes = homesOf(reading, table, [])
  const { copies } = carriersOf(reading, own)
  const name = declaredName(table.name)
  const isGone = (live: LiveTable) => live.dropped || !homes.some((home) => home.live === live)
  const lastCopy = (live: LiveTable) =>
    copies.findLast(({ arm }) => arm.tables.includes(live))?.number ?? Infinity
  const rows = (statement: number, message: string, more: Partial<Loss> = {}): Loss => {
    const instead = "Copy every row whole before, or leave the table."
    return {
      kind: "row",
      table: table.name,
      statement,
      message,
      instead,
      lines: [`loses ${name}, at most N rows`],
      isCertain: false,
      ...more,
    }
  }
  const losses: Loss[] = []
  const ownMoved = own !== undefined && !own.dropped && tables.named(table.name) !== own
  const drop = deeds.find((deed) => deed.does === "drop" && deed.table === own)
  const copied = copies.filter((deed) => homes.some(({ live }) => live === deed.table))
  const isHome = homes.some(({ same }) => same)
  if (!isHome && copied.length === 0) {
    const at = drop?.number ?? renamedAt(reading, table.name)
    const moves = ownMoved
      ? [`moves ${name} to ${declaredName(own.name)}`]
      : movesByUpdate(reading, table)
    const rest = table.columns
      .map((one) => declaredName(table.name, one.name))
      .filter((one) => !moves.some((line) => line.startsWith(`moves ${one} `)))
      .map((one) => `loses ${one}`)
    const all = ownMoved ? moves : [...moves, ...rest]
    const lines = moves.length > 0 ? all : [`loses ${name}, at most N rows`]
    losses.push(
      rows(at, `rows of ${table.name} are gone: no statement copies them into a table that stays`, {
        isCertain: true,
        lines,
        columns: heldColumns(table, []),
      }),
    )
  }
  if (!isHome) {
    for (const { number, arm, conflict, table: into } of copies) {
      const isOnTheWay = into.dropped || homes.some(({ live }) => live === into)
      const why = arm.limit ?? (conflict === undefined ? undefined : `OR ${conflict.toUpperCase()}`)
      // What met all rules of before meets those of now, if none is new.
      const isIdle =
        conflict === "Ignore" &&
        arm.limit === undefined &&
        !reading.former.has(into) &&
        homes[0]?.table.name === table.name &&
        !reading.tightens.some((one) => isSameName(one.table, table.name))
      if (!isOnTheWay || why === undefined || isIdle) continue
      const isMeant = why === "its condition" || why === "LIMIT"
      losses.push(
        rows(
          number,
          `the copy may leave rows of ${table.name} behind, or take them more than once, by ${why}`,
          {
            instead: "Copy all of them, or say that none stays behind; the request compares that.",
            lines: [isMeant ? `loses ${name}, at most N rows` : `loses ${name}, at most 0 rows`],
          },
        ),
      )
    }
  }
  for (const deed of deeds) {
    const isOf =
      deed.table === own ||
      homes.some((home) => home.live === deed.table && !reading.former.has(deed.table))
    if (!isOf) continue
    const isLate = isGone(deed.table) && deed.number > lastCopy(deed.table)
    if (isLate) continue
    if (deed.does === "delete") {
      const { where } = deed
      if (isPutBack(reading, table, deed.number)) continue
      const archive = copies.find(
        ({ number, table: into }) => number < deed.number && into !== own && !into.dropped,
      )
      losses.push(
        rows(deed.number, `a DELETE takes rows of ${table.name} for good`, {
          isCertain: where === undefined && !deed.isLimited,
          isSeeded: isNamedSeed(context, table, deed),
          ...(archive && movedRows(name, archive.table.name)),
        }),
      )
    }
    if (deed.does === "replace") losses.push(...replaced(context, table, deed))
    if (deed.does === "update") losses.push(...updated(context, table, deed))
  }
  if (homes.length > 0) losses.push(...columnLosses(context, table, { homes, copies: copied }))
  if (reading.reach.repeated.includes(table.name)) {
    const key =
      table.primaryKey.length === 0 || table.columns.some((one) => isRowid(table, one.name))
    const at = deeds.find((deed) => deed.does === "copy" && deed.table === own)?.number ?? 1
    if (key) {
      losses.push({
        kind: "repeat",
        table: table.name,
        statement: at,
        message: `rows of ${table.name} may be added again that are there`,
        instead: "Insert only what is not there yet.",
        lines: [`repeats ${name}, at most N rows`],
        isCertain: false,
      })
    }
  }
  return losses
}

function movedRows(name: string, to: string): Pick<Loss, "instead" | "lines"> {
  return {
    instead: `${to} has rows of it: say so, and the request looks for each of them there.`,
    lines: [`moves ${name} to ${declaredName(to)}`],
  }
}

function renamedAt({ steps }: Reading, table: string): number {
  const at = steps.findIndex(
    ({ node }) => node?.type === "AlterTableStmt" && isSameName(node.tblName.objName.text, table),
  )
  return Math.max(at, 0) + 1
}

function partLoss(lost: LostPart): Loss {
  const { part, statement, broken, isSaid } = lost
  const isOther = part.now !== undefined
  const instead =
    part.kind === "sequence"
      ? "Keep what the table counts with."
      : broken
        ? "Create it anew for what the file leaves."
        : `Create it ${isOther ? "as it was" : "again"} after the rebuild.`
  const lines = broken ? [] : [`loses ${part.kind} ${partName(part.name)}`]
  return {
    kind: "part",
    table: part.table,
    statement,
    message: describePart(lost),
    instead,
    lines,
    isCertain: true,
    part: lost,
    isSeeded: isSaid,
  }
}

function partName(name: string): string {
  return /^[^\s.,:"]+\.[^\s.:"]+$/.test(name) ? name : declaredName(name)
}

function describePart({ part, broken, isSaid }: LostPart): string {
  const { kind, name, table, columns, definition, now } = part
  if (broken) return `the ${kind} ${name} no longer works: ${definition}`
  if (kind === "sequence") {
    return isSaid
      ? `AUTOINCREMENT of ${table} starts anew after the largest number that is left; \`apply\` carries the last one over`
      : `the numbers of deleted rows of ${table} are given again: it has no AUTOINCREMENT any more`
  }
  if (isSaid) return `the ${kind} ${name} of ${table} is dropped`
  if (now !== undefined) {
    const [was, is] = [definition, now].map((one) => one.replaceAll(" binary", ""))
    return `the ${kind} ${name} of ${table} is another one: it was (${was}), and is (${is})`
  }
  const isNamed = ["index", "trigger", "view", "default"].includes(kind)
  const detail = kind === "unique" ? columns.join(", ") : definition.replaceAll("|", " ").trim()
  return `the ${kind} ${name} of ${table} is gone${isNamed ? "" : ` (${detail})`}`
}

/** Where an UPDATE puts what a table holds that goes: as lines, for somebody to look at. */
function movesByUpdate({ steps, after }: Reading, table: Table): string[] {
  const isIn = (name: string) => table.columns.find((one) => isSameName(one.name, name))?.name
  return steps.flatMap(({ node, sql }) => {
    if (node?.type !== "UpdateStmt" || !namesTable(node, table.name)) return []
    const target = findTable(after, node.tblName.objName.text)
    const sets = node.sets.flatMap(({ colNames: [name], expr }) => {
      const words = columnsIn(expr).flatMap((one) => isIn(one) ?? [])
      const was = words.find((one) => !table.primaryKey.includes(one)) ?? words[0]
      if (name === undefined || was === undefined) return []
      return [
        `moves ${declaredName(table.name, was)} to ${declaredName(target?.name ?? "", name.text)}`,
      ]
    })
    const [key, ...more] = table.primaryKey
    const [own, ...others] = target?.primaryKey ?? []
    const isOne = key !== undefined && own !== undefined && more.length + others.length === 0
    if (sets.length === 0 || target === undefined || sql === "") return []
    return isOne
      ? [`moves ${declaredName(table.name, key)} to ${declaredName(target.name, own)}`, ...sets]
      : sets
  })
}

function namesTable(node: Stmt, table: string): boolean {
  let isNamed = false
  traverse(node, {
    nodes: {
      TableSelectTable({ tblName: { objName } }) {
        isNamed ||= isSameName(objName.text, table)
      },
    },
  })
  return isNamed
}

function columnsIn(expr: Expr): string[] {
  const names: string[] = []
  traverse(expr, {
    enter(one) {
      const name = one.type === "Id" || one.type === "QualifiedExpr" ? columnOf(one) : undefined
      if (name !== undefined) names.push(name)
    },
  })
  return names
}
