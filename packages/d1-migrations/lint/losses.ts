import { type Expr, type Stmt, traverse } from "sqlite3-parser"

import type { Analysis, LostPart, Operation } from "../analysis/analysis.ts"
import { type Destination, destinationsOf, valueColumns } from "../analysis/destinations.ts"
import { columnOf } from "../analysis/parsed-script.ts"
import { declaredName } from "../files/declarations.ts"
import { findTable, isRowid, isSameName, type Table } from "../schema/schema.ts"
import {
  columnNameOf,
  type Context,
  copiesFrom,
  isNamedSeed,
  isPutBack,
  isTakenBack,
  type Loss,
  lossOf,
} from "./loss.ts"
import { columnLosses, replaced, updated } from "./value-losses.ts"

/** Lists the rows, values and parts that a file may lose or change, each once. */
export function lossesOf(analysis: Analysis, isSeeded: Context["isSeeded"] = () => false): Loss[] {
  const { taken, repeated } = analysis.reach
  const losses = [
    ...analysis.before.flatMap((table) => {
      const isReached = [...taken, ...repeated].some((name) => isSameName(name, table.name))
      return lossesOfTable({ analysis, isSeeded }, table, isReached)
    }),
    ...analysis.lostParts.map(partLoss),
  ]
  const firsts = new Map<string, Loss>()
  for (const loss of losses) {
    const { kind, table, column, part } = loss
    const key = JSON.stringify([kind, table, column, part?.part.name, part?.part.kind])
    const first = firsts.get(key)
    if (first === undefined || rankOf(loss) > rankOf(first)) firsts.set(key, loss)
  }
  return [...firsts.values()]
}

/** Ranks certain losses above uncertain losses, then direct losses above losses by a foreign key or trigger. */
function rankOf({ isCertain, byReference }: Loss): number {
  return Number(isCertain) * 2 + Number(byReference !== true)
}

function lossesOfTable(context: Context, table: Table, isReached: boolean): Loss[] {
  const { analysis } = context
  const { operations, tables, former, reach } = analysis
  const live = tables.findByOriginalName(table.name)
  const destinations = destinationsOf(analysis, table, [])
  const placeOf = (operation: Operation) =>
    destinations.find((destination) => destination.live === operation.table)
  const ofTable = operations.filter(
    (operation) => operation.table === live || (placeOf(operation) && !former.has(operation.table)),
  )
  if (!isReached) {
    const following = ofTable.filter((operation) => operation.does === "follow")
    return following.flatMap((operation) => followed(context, table, operation))
  }
  const copies = copiesFrom(analysis, live)
  const copied = copies.filter((copy) => placeOf(copy) !== undefined)
  const isSame = destinations.some(({ same }) => same)
  const losses = isSame
    ? []
    : copies.flatMap((copy) => leftLoss(analysis, table, copy, destinations))
  if (!isSame && copied.length === 0) losses.unshift(goneLoss(analysis, table))
  for (const operation of ofTable) {
    const lastCopy = copies.findLast(({ arm }) => arm.tables.includes(operation.table))?.number
    const isGone = operation.table.dropped || placeOf(operation) === undefined
    if (isGone && lastCopy !== undefined && operation.number > lastCopy) continue
    losses.push(...lossesBy(context, table, operation))
  }
  if (destinations.length > 0) {
    losses.push(...columnLosses(context, table, { destinations, copies: copied }))
  }
  const isCounted = table.columns.some((column) => isRowid(table, column.name))
  if (reach.repeated.includes(table.name) && (table.primaryKey.length === 0 || isCounted)) {
    const statement =
      operations.find(({ does, table: into }) => does === "copy" && into === live)?.number ?? 1
    const message = `rows of ${table.name} may be added again that are there`
    losses.push(lossOf({ kind: "repeat", table, statement }, message))
  }
  return losses
}

/** Lists the losses of a table by one operation. */
function lossesBy(context: Context, table: Table, operation: Operation): Loss[] {
  if (operation.does === "replace") return replaced(context, table, operation)
  if (operation.does === "update") return updated(context, table, operation)
  if (operation.does === "follow") return followed(context, table, operation)
  if (operation.does === "fire") return [fireLoss(table, operation)]
  if (operation.does !== "delete") return []
  const isBack = isPutBack(context.analysis, operation.table, operation.number)
  return isBack ? [] : [deleteLoss(context, table, operation)]
}

type Of<Does extends Operation["does"]> = Extract<Operation, { does: Does }>

function deleteLoss(context: Context, table: Table, operation: Of<"delete">): Loss {
  const { analysis } = context
  const { number: statement, table: live, where, isLimited } = operation
  const archive = copiesFrom(analysis, live).find(
    ({ number, table: into }) => number < statement && into !== live && !into.dropped,
  )?.table.name
  const moved = archive !== undefined && {
    instead: `${archive} has rows of it: declare that, and the request looks for each of them there.`,
    lines: [`moves ${declaredName(table.name)} to ${declaredName(archive)}`],
  }
  const isCertain = where === undefined && !isLimited
  const message = `a DELETE takes rows of ${table.name} for good`
  const isSeeded = isNamedSeed(context, table, operation)
  return lossOf({ kind: "row", table, statement }, message, { isCertain, isSeeded, ...moved })
}

function fireLoss(table: Table, { number: statement, column: written }: Of<"fire">): Loss {
  const instead = "Drop the trigger before, and make it again afterwards."
  const common = { byReference: true, instead }
  if (written === undefined) {
    const message = `rows of ${table.name} may be deleted by a trigger`
    return lossOf({ kind: "row", table, statement }, message, common)
  }
  const column = columnNameOf(table, written)
  const message = `${table.name}.${column} may be changed by a trigger`
  return lossOf({ kind: "change", table, column, statement }, message, common)
}

/** Lists losses by a foreign key: deleted or changed rows, or rows that make the statement fail. */
function followed({ analysis }: Context, table: Table, operation: Of<"follow">): Loss[] {
  const { operations, former, own } = analysis
  const { number: statement, table: live, key, parent: parentLive, by, isBlocked } = operation
  const parent = findTable(analysis.before, former.get(parentLive) ?? "")
  if (parent === undefined || isPutBack(analysis, live, statement)) return []
  const earlier = operations.filter(({ number }) => number < statement)
  const isWhole = (each: Operation) => "where" in each && each.where === undefined
  if (earlier.some((each) => each.does === "delete" && each.table === live && isWhole(each))) {
    return []
  }
  const isDrop = by === "drop"
  const isMovedAway = (each: Operation) =>
    each.does === "update" &&
    each.table === parentLive &&
    isWhole(each) &&
    (key.onUpdate === "CASCADE" ||
      each.sets.some(({ column }) => key.parentColumns.some((name) => isSameName(name, column))))
  if (isDrop && earlier.some(isMovedAway)) return []
  const action = by === "update" ? key.onUpdate : key.onDelete
  const words = `${key.columns.join(", ")} → ${key.parent} ON ${by === "update" ? "UPDATE" : "DELETE"} ${action}`
  const instead = !isDrop
    ? "Write before it what those rows become (UPDATE or DELETE)."
    : destinationsOf(analysis, parent, []).length > 0
      ? `Move the keys of the table away before it is dropped, so that no row refers to it: \`${own.command} fix FILE\` writes that.`
      : "Rebuild what refers to it first, without the reference, or delete its rows explicitly (DELETE FROM)."
  const common = { byReference: true, isCertain: isDrop, instead }
  const row = { kind: "row", table, statement } as const
  const isIdle = action === "NO ACTION" || action === "RESTRICT"
  if (isBlocked) {
    const message = `fails as soon as rows of ${table.name} refer to ${parent.name} (${words})`
    const blocked = { ...common, column: words, lines: [], isCertain: false }
    return isIdle && former.has(live) ? [lossOf(row, message, blocked)] : []
  }
  if (isIdle) return []
  if (action === "CASCADE" && by !== "update") {
    return [lossOf(row, `rows of ${table.name} are deleted (${words})`, common)]
  }
  const [[first = ""], [parentColumn = ""]] = [key.columns, key.parentColumns]
  const followedLive = analysis.tables.findByOriginalName(key.parent) ?? parentLive
  if (isTakenBack(analysis, live, first)) return []
  if (isTakenBack(analysis, followedLive, parentColumn)) return []
  const column = columnNameOf(table, first)
  const kind = action === "CASCADE" ? "change" : "link"
  const effect = kind === "change" ? "changed" : "emptied"
  const message = `${table.name}.${column} is ${effect} (${words})`
  return [lossOf({ kind, table, column, statement }, message, common)]
}

/** Reports that a copy may omit rows or copy them more than once. */
function leftLoss(
  { former, tightens }: Analysis,
  table: Table,
  { number: statement, arm, conflict, table: into }: Of<"copy">,
  destinations: Destination[],
): Loss[] {
  const why = arm.limit ?? (conflict === undefined ? undefined : `OR ${conflict.toUpperCase()}`)
  // OR IGNORE skips no row if no constraint was added.
  const isIdle =
    conflict === "Ignore" &&
    arm.limit === undefined &&
    !former.has(into) &&
    destinations[0]?.table.name === table.name &&
    !tightens.some((tighten) => isSameName(tighten.table, table.name))
  const isMeant = into.dropped || destinations.some(({ live }) => live === into)
  if (!isMeant || why === undefined || isIdle) return []
  const message = `the copy may leave rows of ${table.name} behind, or take them more than once, by ${why}`
  const instead = "Copy all of them, or say that none stays behind; the request compares that."
  const most = why === "its condition" || why === "LIMIT" ? "N" : "0"
  const lines = [`loses ${declaredName(table.name)}, at most ${most} rows`]
  return [lossOf({ kind: "row", table, statement }, message, { instead, lines })]
}

/** Reports a table whose rows no statement copies into a remaining table. */
function goneLoss(analysis: Analysis, table: Table): Loss {
  const { operations, tables, steps } = analysis
  const live = tables.findByOriginalName(table.name)
  const name = declaredName(table.name)
  const renaming = steps.findIndex(
    ({ node }) =>
      node?.type === "AlterTableStmt" && isSameName(node.tblName.objName.text, table.name),
  )
  const drop = operations.find(({ does, table: dropped }) => does === "drop" && dropped === live)
  const statement = drop?.number ?? Math.max(renaming, 0) + 1
  const message = `rows of ${table.name} are gone: no statement copies them into a table that stays`
  const loss = lossOf({ kind: "row", table, statement }, message, {
    isCertain: true,
    columns: valueColumns(table, []),
  })
  if (live !== undefined && !live.dropped && tables.findByName(table.name) !== live) {
    loss.lines = [`moves ${name} to ${declaredName(live.name)}`]
    return loss
  }
  const moves = movesByUpdate(analysis, table)
  if (moves.length === 0) return loss
  const rest = table.columns
    .map((column) => declaredName(table.name, column.name))
    .filter((column) => !moves.some((line) => line.startsWith(`moves ${column} `)))
  loss.lines = [...moves, ...rest.map((column) => `loses ${column}`)]
  return loss
}

function partLoss(lost: LostPart): Loss {
  const { part, statement, broken, isSaid } = lost
  const isOther = part.now !== undefined
  const instead =
    part.kind === "sequence"
      ? "Keep what the table counts with."
      : broken
        ? "Create it again for the schema that the file leaves."
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
      ? `AUTOINCREMENT of ${table} starts again after the largest number that is left; \`apply\` carries the last one over`
      : `the numbers of deleted rows of ${table} are given again: it has no AUTOINCREMENT any more`
  }
  if (now !== undefined) {
    const [definitionBefore, is] = [definition, now].map((text) => text.replaceAll(" binary", ""))
    return `the ${kind} ${name} of ${table} is changed: it was (${definitionBefore}), and is (${is})`
  }
  if (isSaid) return `the ${kind} ${name} of ${table} is dropped`
  const isNamed = ["index", "trigger", "view", "default"].includes(kind)
  const detail = kind === "unique" ? columns.join(", ") : definition.replaceAll("|", " ").trim()
  return `the ${kind} ${name} of ${table} is gone${isNamed ? "" : ` (${detail})`}`
}

/** Suggests `moves` declarations for an UPDATE that reads a dropped table. */
function movesByUpdate({ steps, after }: Analysis, table: Table): string[] {
  const isIn = (name: string) => table.columns.find((column) => isSameName(column.name, name))?.name
  return steps.flatMap(({ node }) => {
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
    if (sets.length === 0 || target === undefined) return []
    const keys = table.primaryKey.flatMap((key, index) => {
      const targetKey = target.primaryKey[index]
      const to = targetKey === undefined ? undefined : declaredName(target.name, targetKey)
      return to === undefined ? [] : [`moves ${declaredName(table.name, key)} to ${to}`]
    })
    return table.primaryKey.length === target.primaryKey.length ? [...keys, ...sets] : sets
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
