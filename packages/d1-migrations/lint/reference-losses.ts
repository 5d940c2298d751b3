import type { Operation, Analysis, Step } from "../analysis/analysis.ts"
import { destinationsOf } from "../analysis/destinations.ts"
import { parseScript } from "../analysis/parsed-script.ts"
import { findTable, type ForeignKey, isSameName, type Table } from "../schema/schema.ts"
import type { StatementEffect } from "../schema/statement-effect.ts"
import { columnNameOf, isPutBack, isTakenBack, type Loss, rowLoss, valueLoss } from "./loss.ts"

/** Rows that foreign keys and triggers take or change along. */
export function cascadeLosses(analysis: Analysis): Loss[] {
  return analysis.steps.flatMap((step) =>
    step.effect === undefined
      ? []
      : [
          ...keyLosses(analysis, step.number, step.effect),
          ...triggerLosses(analysis, step, step.effect),
        ],
  )
}

type Reference = { child: Table; key: ForeignKey }

function keyLosses(analysis: Analysis, number: number, effect: StatementEffect): Loss[] {
  const { before, operations, tables, own: names } = analysis
  const { drops, writes, cascades } = effect
  const isDrop = drops.length > 0
  const drop = operations.find(
    (operation) => operation.number === number && operation.does === "drop",
  )
  const parent = before.find(({ name }) =>
    drop === undefined
      ? isSameName(name, drops[0] ?? writes?.table ?? "")
      : tables.findByOriginalName(name) === drop.table,
  )
  if (parent === undefined) return []
  const isBefore = (table: Table, is: (operation: Operation) => boolean) =>
    operations.some(
      (operation) =>
        operation.number < number &&
        operation.table === tables.findByOriginalName(table.name) &&
        is(operation),
    )
  /** Its keys were moved away. */
  const isFreed = ({ onUpdate, parentColumns }: ForeignKey) =>
    isBefore(
      parent,
      (operation) =>
        operation.does === "update" &&
        operation.where === undefined &&
        (onUpdate === "CASCADE" ||
          operation.sets.some(({ column }) =>
            parentColumns.some((parentColumn) => isSameName(parentColumn, column)),
          )),
    )
  const isFollowing = (name: string) => cascades.some((follow) => isSameName(follow, name))
  const referringTo = (name: string): Reference[] =>
    before.flatMap((child) => {
      const isEmptied = isBefore(
        child,
        (operation) => operation.does === "delete" && operation.where === undefined,
      )
      const isDropped = isBefore(child, ({ does }) => does === "drop")
      const isGone = isDropped && !isFollowing(child.name) && !tables.findByName(child.name)
      const isSelf = child.name === parent.name && isDrop
      if (isEmptied || isGone || isSelf || isPutBack(analysis, child, number)) return []
      const keys = child.foreignKeys.filter((key) => isSameName(key.parent, name))
      return keys.map((key) => ({ child, key }))
    })
  const byDelete =
    isDrop || writes?.by === "delete" || (writes?.by === "insert" && cascades.length > 0)
  const fix =
    destinationsOf(analysis, parent, []).length > 0
      ? `Move the keys of the table away before it is dropped, so that no row refers to it: \`${names.command} fix FILE\` writes that.`
      : "Rebuild what refers to it first, without the reference, or delete its rows in words (DELETE FROM)."
  // A copy that refers to what is dropped by its name goes with it.
  const tableNames = drop?.does === "drop" ? [...drop.names] : []
  const copied = cascades.flatMap((name) => {
    if (!isDrop || before.some((table) => table.name === name)) return []
    const live = tableNames.find(([, now]) => isSameName(now, name))?.[0]
    return before
      .filter((table) =>
        destinationsOf(analysis, table, []).some((destination) => destination.live === live),
      )
      .map((table) => {
        const message = `rows of ${table.name} are deleted from ${name}, which refers to what is dropped`
        const common = { instead: fix, byReference: true, isCertain: true }
        return rowLoss(table, number, message, common)
      })
  })
  const references = referringTo(parent.name)
  // What goes with rows that go.
  for (const { child, key } of references) {
    if (!byDelete || key.onDelete !== "CASCADE") continue
    const children = new Set(references.map((reference) => reference.child))
    references.push(
      ...referringTo(child.name).filter((reference) => !children.has(reference.child)),
    )
  }
  const referring = references.flatMap(({ child, key }): Loss[] => {
    const action = byDelete ? key.onDelete : key.onUpdate
    const words = `${key.columns.join(", ")} → ${key.parent} ON ${byDelete ? "DELETE" : "UPDATE"} ${action}`
    const [[column = ""], [parentColumn = ""]] = [key.columns, key.parentColumns]
    const instead = isDrop ? fix : "Say in words what becomes of them before."
    const common = { byReference: true, isCertain: isDrop, instead }
    const isIdle = action === "NO ACTION" || action === "RESTRICT"
    if (isDrop && isFreed(key)) return []
    if (!isFollowing(child.name)) {
      const message = `fails as soon as rows of ${child.name} refer to ${parent.name} (${words})`
      const blocked = { ...common, column: words, lines: [], isCertain: false }
      return isDrop && isIdle ? [rowLoss(child, number, message, blocked)] : []
    }
    if (action === "CASCADE" && byDelete) {
      return [rowLoss(child, number, `rows of ${child.name} are deleted (${words})`, common)]
    }
    const isBack =
      isTakenBack(analysis, tables.findByOriginalName(child.name), column) ||
      isTakenBack(analysis, tables.findByOriginalName(parent.name), parentColumn)
    if (isIdle || isBack) return []
    if (action !== "CASCADE") {
      const message = `${child.name}.${column} is emptied (${words})`
      return [valueLoss(child, column, number, { kind: "link", message, ...common })]
    }
    const message = `${child.name}.${column} is changed (${words})`
    return [valueLoss(child, column, number, { kind: "change", message, ...common })]
  })
  return [...referring, ...copied]
}

/** What triggers delete or change that a statement sets off. */
function triggerLosses(analysis: Analysis, { number }: Step, effect: StatementEffect): Loss[] {
  const { byTriggers, writes, names } = effect
  if (byTriggers.length === 0) return []
  const isSetOff = (on: string) =>
    [writes?.table ?? "", ...names].some((touchedName) => isSameName(touchedName, on))
  const commands = [...analysis.objects, ...analysis.steps.slice(0, number - 1)].flatMap(
    ({ sql }) => {
      if (!/^\s*create\s+(?:temp\w*\s+)?trigger/i.test(sql)) return []
      const node = parseScript(`${sql.replace(/;\s*$/, "")};`)[0]?.node
      const isMeant = node?.type === "CreateTriggerStmt" && isSetOff(node.tblName.objName.text)
      return isMeant ? node.commands : []
    },
  )
  const instead = "Drop the trigger before, and make it again afterwards."
  const common = { byReference: true, instead }
  return commands.flatMap((command): Loss[] => {
    if (command.type !== "DeleteTriggerCmd" && command.type !== "UpdateTriggerCmd") return []
    const name = command.tblName.objName.text
    const table = findTable(analysis.before, name)
    if (table === undefined || !byTriggers.some((byTrigger) => isSameName(byTrigger, name))) {
      return []
    }
    if (command.type === "DeleteTriggerCmd") {
      const message = `rows of ${table.name} may be deleted by a trigger`
      return [rowLoss(table, number, message, common)]
    }
    return command.sets.flatMap(({ colNames }) =>
      colNames.map(({ text }) => {
        const column = columnNameOf(table, text)
        const message = `${table.name}.${column} may be changed by a trigger`
        return valueLoss(table, column, number, { kind: "change", message, ...common })
      }),
    )
  })
}
