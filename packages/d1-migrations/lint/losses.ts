import { type Expr, type Stmt, traverse } from "sqlite3-parser"

import type { LostPart, Analysis } from "../analysis/analysis.ts"
import { valueColumns, destinationsOf } from "../analysis/destinations.ts"
import { columnOf } from "../analysis/parsed-script.ts"
import { declaredName } from "../files/declarations.ts"
import type { LiveTable } from "../schema/live-tables.ts"
import { findTable, isRowid, isSameName, type Table } from "../schema/schema.ts"
import { columnLosses } from "./column-losses.ts"
import {
  copiesFrom,
  type Context,
  type Earlier,
  isNamedSeed,
  isPutBack,
  type Loss,
  rowLoss,
} from "./loss.ts"
import { cascadeLosses } from "./reference-losses.ts"
import { replaced, updated } from "./write-losses.ts"

/** @param isSeeded whether a condition on a table finds a row that earlier files have written */
export function lossesOf(
  analysis: Analysis,
  {
    earlier = [],
    isSeeded = () => false,
  }: { earlier?: Earlier[]; isSeeded?: (table: Table, condition: string) => boolean } = {},
): Loss[] {
  const context = { analysis, earlier, isSeeded }
  const { taken, repeated } = analysis.reach
  const meant = analysis.before.filter(({ name }) =>
    [...taken, ...repeated].some((reachedName) => isSameName(reachedName, name)),
  )
  const losses = [
    ...meant.flatMap((table) => lossesOfTable(context, table)),
    ...cascadeLosses(analysis),
    ...analysis.lostParts.map(partLoss),
  ]
  const firsts = new Map<string, Loss>()
  for (const loss of losses) {
    const { kind, table, column, part } = loss
    const key = JSON.stringify([kind, table, column, part?.part.name, part?.part.kind])
    if (!firsts.has(key)) firsts.set(key, loss)
  }
  return [...firsts.values()]
}

function lossesOfTable(context: Context, table: Table): Loss[] {
  const { analysis } = context
  const { operations, tables } = analysis
  const liveTable = tables.findByOriginalName(table.name)
  const destinations = destinationsOf(analysis, table, [])
  const copies = copiesFrom(analysis, liveTable)
  const name = declaredName(table.name)
  const isDestination = (live: LiveTable) =>
    destinations.some((destination) => destination.live === live)
  const losses: Loss[] = []
  const copied = copies.filter((operation) => isDestination(operation.table))
  const isSame = destinations.some(({ same }) => same)
  if (!isSame && copied.length === 0) losses.push(goneLoss(analysis, table))
  for (const { number, arm, conflict, table: into } of isSame ? [] : copies) {
    const why = arm.limit ?? (conflict === undefined ? undefined : `OR ${conflict.toUpperCase()}`)
    // Rows that met the old constraints meet the new ones if none was added.
    const isIdle =
      conflict === "Ignore" &&
      arm.limit === undefined &&
      !analysis.former.has(into) &&
      destinations[0]?.table.name === table.name &&
      !analysis.tightens.some((tighten) => isSameName(tighten.table, table.name))
    if (!(into.dropped || isDestination(into)) || why === undefined || isIdle) continue
    const message = `the copy may leave rows of ${table.name} behind, or take them more than once, by ${why}`
    const instead = "Copy all of them, or say that none stays behind; the request compares that."
    const most = why === "its condition" || why === "LIMIT" ? "at most N rows" : "at most 0 rows"
    losses.push(rowLoss(table, number, message, { instead, lines: [`loses ${name}, ${most}`] }))
  }
  for (const operation of operations) {
    const lastCopy = copies.findLast(({ arm }) => arm.tables.includes(operation.table))?.number
    const isMeant =
      operation.table === liveTable ||
      (isDestination(operation.table) && !analysis.former.has(operation.table))
    const isGone = operation.table.dropped || !isDestination(operation.table)
    if (!isMeant || (isGone && lastCopy !== undefined && operation.number > lastCopy)) continue
    if (operation.does === "replace") losses.push(...replaced(context, table, operation))
    if (operation.does === "update") losses.push(...updated(context, table, operation))
    if (operation.does !== "delete" || isPutBack(analysis, table, operation.number)) continue
    const archive = copies.find(
      ({ number, table: into }) => number < operation.number && into !== liveTable && !into.dropped,
    )?.table.name
    const moved = archive !== undefined && {
      instead: `${archive} has rows of it: say so, and the request looks for each of them there.`,
      lines: [`moves ${name} to ${declaredName(archive)}`],
    }
    losses.push(
      rowLoss(table, operation.number, `a DELETE takes rows of ${table.name} for good`, {
        isCertain: operation.where === undefined && !operation.isLimited,
        isSeeded: isNamedSeed(context, table, operation),
        ...moved,
      }),
    )
  }
  const places = { destinations, copies: copied }
  if (destinations.length > 0) losses.push(...columnLosses(context, table, places))
  const isCounted = table.columns.some((column) => isRowid(table, column.name))
  const isFree = table.primaryKey.length === 0 || isCounted
  if (analysis.reach.repeated.includes(table.name) && isFree) {
    const at =
      operations.find((operation) => operation.does === "copy" && operation.table === liveTable)
        ?.number ?? 1
    const message = `rows of ${table.name} may be added again that are there`
    const instead = "Insert only what is not there yet."
    const lines = [`repeats ${name}, at most N rows`]
    losses.push(rowLoss(table, at, message, { kind: "repeat", instead, lines }))
  }
  return losses
}

/** The loss of a table whose rows no statement copies into a remaining one. */
function goneLoss(analysis: Analysis, table: Table): Loss {
  const { operations, tables, steps } = analysis
  const liveTable = tables.findByOriginalName(table.name)
  const name = declaredName(table.name)
  const renaming = steps.findIndex(
    ({ node }) =>
      node?.type === "AlterTableStmt" && isSameName(node.tblName.objName.text, table.name),
  )
  const drop = operations.find(
    (operation) => operation.does === "drop" && operation.table === liveTable,
  )
  const at = drop?.number ?? Math.max(renaming, 0) + 1
  const message = `rows of ${table.name} are gone: no statement copies them into a table that stays`
  const loss = { isCertain: true, columns: valueColumns(table, []) }
  if (
    liveTable !== undefined &&
    !liveTable.dropped &&
    tables.findByName(table.name) !== liveTable
  ) {
    return rowLoss(table, at, message, {
      ...loss,
      lines: [`moves ${name} to ${declaredName(liveTable.name)}`],
    })
  }
  const moves = movesByUpdate(analysis, table)
  if (moves.length === 0) return rowLoss(table, at, message, loss)
  const rest = table.columns
    .map((column) => declaredName(table.name, column.name))
    .filter((column) => !moves.some((line) => line.startsWith(`moves ${column} `)))
  return rowLoss(table, at, message, {
    ...loss,
    lines: [...moves, ...rest.map((column) => `loses ${column}`)],
  })
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
    const [definitionBefore, is] = [definition, now].map((text) => text.replaceAll(" binary", ""))
    return `the ${kind} ${name} of ${table} is another one: it was (${definitionBefore}), and is (${is})`
  }
  const isNamed = ["index", "trigger", "view", "default"].includes(kind)
  const detail = kind === "unique" ? columns.join(", ") : definition.replaceAll("|", " ").trim()
  return `the ${kind} ${name} of ${table} is gone${isNamed ? "" : ` (${detail})`}`
}

/** Suggested lines for an UPDATE that reads a table that is dropped. */
function movesByUpdate({ steps, after }: Analysis, table: Table): string[] {
  const isIn = (name: string) => table.columns.find((column) => isSameName(column.name, name))?.name
  return steps.flatMap(({ node, sql }) => {
    if (node?.type !== "UpdateStmt" || !namesTable(node, table.name)) return []
    const target = findTable(after, node.tblName.objName.text)
    const sets = node.sets.flatMap(({ colNames: [name], expr }) => {
      const words = columnsIn(expr).flatMap((column) => isIn(column) ?? [])
      const word = words.find((candidate) => !table.primaryKey.includes(candidate)) ?? words[0]
      if (name === undefined || word === undefined) return []
      return [
        `moves ${declaredName(table.name, word)} to ${declaredName(target?.name ?? "", name.text)}`,
      ]
    })
    const [key, ...otherKeys] = table.primaryKey
    const [targetKey, ...otherTargetKeys] = target?.primaryKey ?? []
    const isOne =
      key !== undefined &&
      targetKey !== undefined &&
      otherKeys.length + otherTargetKeys.length === 0
    if (sets.length === 0 || target === undefined || sql === "") return []
    return isOne
      ? [
          `moves ${declaredName(table.name, key)} to ${declaredName(target.name, targetKey)}`,
          ...sets,
        ]
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
    enter(child) {
      const name =
        child.type === "Id" || child.type === "QualifiedExpr" ? columnOf(child) : undefined
      if (name !== undefined) names.push(name)
    },
  })
  return names
}
