import type { Operation, Analysis } from "../analysis/analysis.ts"
import { valueColumns, type Destination } from "../analysis/destinations.ts"
import { columnOf, parseScript } from "../analysis/parsed-script.ts"
import type { Source } from "../analysis/query.ts"
import { declaredName } from "../files/declarations.ts"
import type { LiveTable } from "../schema/live-tables.ts"
import { findTable, isSameName, type Table } from "../schema/schema.ts"
import { folded } from "../sql/folded.ts"
import { type Context, type Earlier, type Loss, valueLoss } from "./loss.ts"

type Copied = { destinations: Destination[]; copies: Extract<Operation, { does: "copy" }>[] }

/** Columns that are not where they were, or not with the same values. */
export function columnLosses(
  context: Context,
  table: Table,
  { destinations, copies }: Copied,
): Loss[] {
  const { analysis } = context
  const { operations, tables, steps } = analysis
  const liveTable = tables.findByOriginalName(table.name)
  const isOwn = (column: string) => (source: Source) =>
    source.table === liveTable && isSameName(source.column, column)
  const isFrom = (live: LiveTable, column: string, before: string) =>
    analysis.origins(live, column).some(isOwn(before))
  if (copies.length === 0 && destinations.every(({ same }) => !same)) return []
  return valueColumns(table, destinations).flatMap((name): Loss[] => {
    const qualified = `${table.name}.${name}`
    const places = destinations.filter((destination) => destination.columns.has(name))
    const destination = places.find((place) =>
      isFrom(place.live, place.columns.get(name) ?? "", name),
    )
    if (destination !== undefined) {
      const type = destination.same ? undefined : typeChange(table, name, destination)
      const message = `${qualified} gets the type ${type}, which may convert its values`
      const change = { kind: "change", message, instead: "Keep its type." } as const
      return type === undefined ? [] : [valueLoss(table, name, copies[0]?.number ?? 1, change)]
    }
    const drop = operations.find(
      (operation) => operation.does === "drop column" && operation.origins.some(isOwn(name)),
    )
    const elsewhere = analysis.after.flatMap((now) => {
      const live = tables.findByName(now.name)
      return now.columns.flatMap((column) =>
        live !== undefined && isFrom(live, column.name, name)
          ? declaredName(now.name, column.name)
          : [],
      )
    })
    const [to] = [...elsewhere, ...copiedBefore(context.earlier, table, name, analysis)]
    const [copied] = copies.flatMap(({ arm, columns, table: into, number }) => {
      const column = places.find(({ live }) => live === into)?.columns.get(name)
      const output = column === undefined ? undefined : arm.outputs[columns.indexOf(folded(column))]
      return output === undefined ? [] : [{ value: output.value, number }]
    })
    const altering = steps.findIndex(({ node }) => node?.type === "AlterTableStmt")
    const at = drop?.number ?? copied?.number ?? copies[0]?.number ?? Math.max(altering, 0) + 1
    if (to !== undefined) {
      const message = `${qualified} ${places.length === 0 ? "goes with" : "loses"} its values`
      const instead = `Its values are in ${to}: say so, and the request compares them there.`
      const lines = [`moves ${declaredName(table.name, name)} to ${to}`]
      return [valueLoss(table, name, at, { message, instead, lines })]
    }
    if (copied !== undefined && copied.value !== "null" && copied.value !== "literal") {
      const message = `${qualified} gets other values`
      const instead = "Copy the column as it is."
      return [valueLoss(table, name, at, { kind: "change", message, instead })]
    }
    const isCertain = places.length === 0
    const message = `${qualified} ${isCertain ? "goes with" : "loses"} its values`
    const instead = `Name ${name} in both lists of the copy, or keep its values in another column.`
    return [valueLoss(table, name, at, { isCertain, message, instead })]
  })
}

/** Where an earlier file has copied a column of a table that stays. */
function copiedBefore(
  earlier: Earlier[],
  table: Table,
  column: string,
  { after }: Analysis,
): string[] {
  return earlier.flatMap(({ sql }) => {
    if (!folded(sql).includes(folded(column))) return []
    return parseScript(sql).flatMap(({ node }) => {
      if (node?.type !== "UpdateStmt" || !isSameName(node.tblName.objName.text, table.name)) {
        return []
      }
      const columns = findTable(after, table.name)?.columns ?? []
      return node.sets.flatMap(({ colNames: [name], expr }) => {
        const now =
          columns.find((candidate) => isSameName(candidate.name, name?.text ?? ""))?.name ?? column
        const isCopy = columnOf(expr) === folded(column) && !isSameName(now, column)
        return isCopy ? [declaredName(table.name, now)] : []
      })
    })
  })
}

/** The new type of a column if it may convert existing values; otherwise undefined. */
function typeChange(table: Table, name: string, destination: Destination): string | undefined {
  const column = table.columns.find((candidate) => candidate.name === name)
  const is = destination.table.columns.find(
    (candidate) => candidate.name === destination.columns.get(name),
  )
  if (column === undefined || is === undefined) return undefined
  const [from, to] = [
    affinityOf(column.type, table.strict),
    affinityOf(is.type, destination.table.strict),
  ]
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
