import { declaredName } from "../files/declarations.ts"
import { heldColumns, type Home } from "../reading/homes.ts"
import { parseScript } from "../reading/parsed-script.ts"
import type { Deed, Reading } from "../reading/reading.ts"
import { columnOf } from "../reading/syntax.ts"
import type { LiveTable } from "../schema/live-tables.ts"
import { findTable, isSameName, type Table } from "../schema/schema.ts"
import { folded } from "../sql/folded.ts"
import { type Loss, type Earlier, type Context, valueLoss } from "./loss.ts"

type Kept = { homes: Home[]; copies: Extract<Deed, { does: "copy" }>[] }

/** Columns that are not where they were, or not with the same values. */
export function columnLosses(context: Context, table: Table, { homes, copies }: Kept): Loss[] {
  const { reading } = context
  const { deeds, tables, steps } = reading
  const own = tables.first(table.name)
  const isFrom = (live: LiveTable, column: string, was: string) =>
    reading.origins(live, column).some((one) => one.table === own && isSameName(one.column, was))
  const isLost = copies.length === 0 && homes.every(({ same }) => !same)
  if (isLost) return []
  return heldColumns(table, homes).flatMap((name): Loss[] => {
    const places = homes.filter((home) => home.columns.has(name))
    const home = places.find((one) => isFrom(one.live, one.columns.get(name) ?? "", name))
    if (home !== undefined) {
      const type = home.same ? undefined : typeChange(table, name, home)
      if (type === undefined) return []
      return [
        valueLoss(table, name, copies[0]?.number ?? 1, {
          kind: "change",
          message: `${table.name}.${name} gets the type ${type}, which may convert its values`,
          instead: "Keep its type.",
          lines: [`changes ${declaredName(table.name, name)}`],
        }),
      ]
    }
    const drop = deeds.find(
      (deed) =>
        deed.does === "drop column" &&
        deed.origins.some((one) => one.table === own && isSameName(one.column, name)),
    )
    const elsewhere = reading.after.flatMap((now) => {
      const live = tables.named(now.name)
      return now.columns.flatMap((one) =>
        live !== undefined && isFrom(live, one.name, name) ? declaredName(now.name, one.name) : [],
      )
    })
    const [to] = [...elsewhere, ...copiedBefore(context.earlier, table, name, reading)]
    const moves = to === undefined ? undefined : `moves ${declaredName(table.name, name)} to ${to}`
    const written = copies.flatMap(({ arm, columns, table: into, number }) => {
      const column = places.find(({ live }) => live === into)?.columns.get(name)
      const output = column === undefined ? undefined : arm.outputs[columns.indexOf(folded(column))]
      return output === undefined ? [] : [{ output, number }]
    })
    const [made] = written
    const at =
      drop?.number ??
      made?.number ??
      copies[0]?.number ??
      Math.max(
        steps.findIndex(({ node }) => node?.type === "AlterTableStmt"),
        0,
      ) + 1
    const isMade =
      made !== undefined &&
      (made.output.value === "other" ||
        made.output.value === "same" ||
        made.output.value === "filled")
    if (isMade && moves === undefined) {
      return [
        valueLoss(table, name, at, {
          kind: "change",
          message: `${table.name}.${name} gets other values`,
          instead: "Copy the column as it is.",
          lines: [`changes ${declaredName(table.name, name)}`],
        }),
      ]
    }
    const instead =
      moves === undefined
        ? `Name ${name} in both lists of the copy, or keep its values in another column.`
        : `Its values are in ${to}: say so, and the request compares them there.`
    const lines = [moves ?? `loses ${declaredName(table.name, name)}`]
    return [
      valueLoss(table, name, at, {
        isCertain: places.length === 0 && moves === undefined,
        message:
          places.length === 0
            ? `${table.name}.${name} goes with its values`
            : `${table.name}.${name} loses its values`,
        instead,
        lines,
      }),
    ]
  })
}

/** Where an earlier file has copied a column of a table that stays. */
function copiedBefore(
  earlier: Earlier[],
  table: Table,
  column: string,
  { after }: Reading,
): string[] {
  return earlier.flatMap(({ sql }) => {
    if (!folded(sql).includes(folded(column))) return []
    return parseScript(sql).flatMap(({ node }) => {
      if (node?.type !== "UpdateStmt" || !isSameName(node.tblName.objName.text, table.name)) {
        return []
      }
      return node.sets.flatMap(({ colNames: [name], expr }) => {
        const now = findTable(after, table.name)?.columns.find((one) =>
          isSameName(one.name, name?.text ?? ""),
        )
        const isCopy =
          columnOf(expr) === folded(column) && now !== undefined && !isSameName(now.name, column)
        return isCopy ? [declaredName(table.name, now.name)] : []
      })
    })
  })
}

/** The type of a column that may convert what the column of before held; undefined where it cannot. */
function typeChange(table: Table, name: string, home: Home): string | undefined {
  const was = table.columns.find((one) => one.name === name)
  const is = home.table.columns.find((one) => one.name === home.columns.get(name))
  if (was === undefined || is === undefined) return undefined
  const [from, to] = [affinityOf(was.type, table.strict), affinityOf(is.type, home.table.strict)]
  const isSafe =
    from === to || to === "blob" || (from !== "text" && from !== "blob" && to !== "text")
  return isSafe ? undefined : is.type || "none"
}

/** sqlite.org/datatype3.html#determination_of_column_affinity */
function affinityOf(
  type: string,
  strict: boolean,
): "integer" | "text" | "blob" | "real" | "numeric" {
  if (/INT/.test(type)) return "integer"
  if (/CHAR|CLOB|TEXT/.test(type)) return "text"
  if (type === "" || /BLOB/.test(type) || (strict && type === "ANY")) return "blob"
  return /REAL|FLOA|DOUB/.test(type) ? "real" : "numeric"
}
