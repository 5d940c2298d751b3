import type { Stmt } from "sqlite3-parser"

import { declaredName } from "../files/declarations.ts"
import { homesOf } from "../reading/homes.ts"
import { parseScript } from "../reading/parsed-script.ts"
import type { Reading } from "../reading/reading.ts"
import type { LiveTable } from "../schema/live-tables.ts"
import { findTable, isSameName, type Table } from "../schema/schema.ts"
import { isOnlyFollowing } from "./declared.ts"
import { type Loss, type Context, isPutBack, valueLoss, columnNameOf, isTakenBack } from "./loss.ts"

/** Rows that foreign keys and triggers take or change along. */
export function alongLosses(context: Context): Loss[] {
  const { reading } = context
  const { steps, before, deeds, tables, own: names } = reading
  return steps.flatMap((step): Loss[] => {
    const { effect, number } = step
    if (effect === undefined) return []
    const along = triggerLosses(context, step)
    const parent = effect.drops[0] ?? effect.writes?.table
    const live = deeds.find((deed) => deed.number === number && deed.does === "drop")?.table
    const isDrop = effect.drops.length > 0
    const parentTable = before.find(({ name }) =>
      live === undefined ? isSameName(name, parent ?? "") : tables.first(name) === live,
    )
    if (parentTable === undefined) return along
    const isRebuilt = homesOf(reading, parentTable, []).length > 0
    const isFreed = (key: Table["foreignKeys"][number]) =>
      deeds.some(
        (deed) =>
          deed.number < number &&
          deed.does === "update" &&
          deed.where === undefined &&
          deed.table === tables.first(parentTable.name) &&
          key.onUpdate !== "CASCADE" &&
          deed.sets.some(({ column }) => key.parentColumns.some((one) => isSameName(one, column))),
      ) ||
      deeds.some(
        (deed) =>
          deed.number < number &&
          deed.does === "update" &&
          deed.where === undefined &&
          key.onUpdate === "CASCADE" &&
          deed.table === tables.first(parentTable.name),
      )
    const fix = isRebuilt
      ? `Move the keys of the table away before it is dropped, so that no row refers to it: \`${names.command} fix FILE\` writes that.`
      : "Rebuild what refers to it first, without the reference, or delete its rows in words (DELETE FROM)."
    const liveOf = (name: string) => namedAt(reading, number, name)
    const childrenOf = (parentName: string) =>
      before.flatMap((child) => {
        const emptied = deeds.some(
          (deed) =>
            deed.number < number &&
            deed.does === "delete" &&
            deed.where === undefined &&
            deed.table === tables.first(child.name),
        )
        const dropped = deeds.some(
          (deed) =>
            deed.number < number && deed.does === "drop" && deed.table === tables.first(child.name),
        )
        const isSelf = child.name === parentTable.name
        const isFollowing = effect.follows.some((one) => isSameName(one, child.name))
        const isGone = dropped && !isFollowing && tables.named(child.name) === undefined
        if (emptied || isGone || (isSelf && isDrop) || isPutBack(reading, child, number)) return []
        return child.foreignKeys
          .filter((key) => isSameName(key.parent, parentName))
          .map((key) => ({ child, key }))
      })
    const children = childrenOf(parentTable.name)
    const byDelete =
      isDrop ||
      effect.writes?.by === "delete" ||
      (effect.writes?.by === "insert" && effect.follows.length > 0)
    // A copy that refers to what is dropped by its name goes with it.
    const copied = effect.follows.flatMap((name): Loss[] => {
      const former =
        isDrop && before.every((one) => one.name !== name)
          ? before.filter((one) =>
              homesOf(reading, one, []).some((home) => home.live === liveOf(name)),
            )
          : []
      return former.map((one) => ({
        kind: "row",
        table: one.name,
        statement: number,
        message: `rows of ${one.name} are deleted from ${name}, which refers to what is dropped`,
        instead: fix,
        byReference: true,
        isCertain: true,
        lines: [`loses ${declaredName(one.name)}, at most N rows`],
      }))
    })
    // What goes with rows that go.
    for (const { child, key } of children) {
      const isNew = childrenOf(child.name).filter(
        (one) => !children.some((known) => known.child === one.child),
      )
      if (byDelete && key.onDelete === "CASCADE") children.push(...isNew)
    }
    const referring = children.flatMap(({ child, key }): Loss[] => {
      const followed = effect.follows.some((one) => isSameName(one, child.name))
      const action = byDelete ? key.onDelete : key.onUpdate
      const words = `${key.columns.join(", ")} → ${key.parent} ON ${byDelete ? "DELETE" : "UPDATE"} ${action}`
      const [column = ""] = key.columns
      const common = {
        byReference: true,
        isCertain: isDrop,
        instead: isDrop ? fix : "Say in words what becomes of them before.",
      }
      if (isDrop && isFreed(key)) return []
      if (!followed) {
        const isBlocking = isDrop && /^(?:NO ACTION|RESTRICT)$/.test(key.onDelete)
        if (!isBlocking || isFreed(key)) return []
        return [
          {
            kind: "row",
            table: child.name,
            column: words,
            statement: number,
            message: `fails as soon as rows of ${child.name} refer to ${parentTable.name} (${words})`,
            ...common,
            lines: [],
            isCertain: false,
          },
        ]
      }
      if (action === "CASCADE" && byDelete) {
        return [
          {
            kind: "row",
            table: child.name,
            statement: number,
            message: `rows of ${child.name} are deleted (${words})`,
            ...common,
            lines: [`loses ${declaredName(child.name)}, at most N rows`],
          },
        ]
      }
      // What only follows is declared with the key that it follows.
      const [own, name] = isOnlyFollowing(reading, child.name)
        ? [parentTable.name, key.parentColumns[0] ?? ""]
        : [child.name, column]
      const line =
        action === "CASCADE"
          ? `changes ${declaredName(own, name)}`
          : `empties ${declaredName(child.name, column)}, at most N rows`
      const isBack =
        isTakenBack(reading, tables.first(child.name), column) ||
        isTakenBack(reading, tables.first(parentTable.name), key.parentColumns[0] ?? "")
      if (action === "NO ACTION" || action === "RESTRICT" || isBack) return []
      const kind = action === "CASCADE" ? ("change" as const) : ("link" as const)
      return [
        {
          ...valueLoss(child, column, number, {
            kind,
            message: `${child.name}.${column} is ${kind === "change" ? "changed" : "emptied"} (${words})`,
          }),
          ...common,
          lines: [line],
        },
      ]
    })
    return [referring, copied, along].flat()
  })
}

/** The table that has a name when a statement drops another one. */
function namedAt({ deeds }: Reading, number: number, name: string): LiveTable | undefined {
  const drop = deeds.find((deed) => deed.does === "drop" && deed.number === number)
  const names = drop?.does === "drop" ? [...drop.names] : []
  return names.find(([, now]) => isSameName(now, name))?.[0]
}

/** What triggers delete or change that a statement sets off. */
function triggerLosses({ reading }: Context, { effect, number }: Reading["steps"][number]): Loss[] {
  if (effect === undefined || effect.byTriggers.length === 0) return []
  const triggers = [
    ...reading.objects.map(({ sql }) => sql),
    ...reading.steps.slice(0, number - 1).map(({ sql }) => sql),
  ].filter((sql) => /^\s*create\s+(?:temp\w*\s+)?trigger/i.test(sql))
  const commands = triggers.flatMap((sql) => {
    const [one] = parseScript(`${sql.replace(/;\s*$/, "")};`)
    const node: Stmt | undefined = one?.node
    const on = node?.type === "CreateTriggerStmt" ? node.tblName.objName.text : ""
    const isSetOff = [effect.writes?.table ?? "", ...effect.names].some((name) =>
      isSameName(name, on),
    )
    return node?.type === "CreateTriggerStmt" && isSetOff ? node.commands : []
  })
  return commands.flatMap((command): Loss[] => {
    if (command.type !== "DeleteTriggerCmd" && command.type !== "UpdateTriggerCmd") return []
    const name = command.tblName.objName.text
    const table = findTable(reading.before, name)
    if (table === undefined || !effect.byTriggers.some((one) => isSameName(one, name))) return []
    const common = {
      byReference: true,
      isCertain: false,
      instead: "Drop the trigger before, and make it again afterwards.",
    }
    if (command.type === "DeleteTriggerCmd") {
      return [
        {
          kind: "row",
          table: table.name,
          statement: number,
          message: `rows of ${table.name} may be deleted by a trigger`,
          ...common,
          lines: [`loses ${declaredName(table.name)}, at most N rows`],
        },
      ]
    }
    return command.sets.flatMap(({ colNames }) =>
      colNames.map(({ text }) => {
        const column = columnNameOf(table, text)
        return {
          ...valueLoss(table, column, number, {
            kind: "change",
            message: `${table.name}.${column} may be changed by a trigger`,
            lines: [`changes ${declaredName(table.name, column)}`],
          }),
          ...common,
        }
      }),
    )
  })
}
