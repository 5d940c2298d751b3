import type { Declaration } from "../files/declarations.ts"
import type { Reading } from "../reading/reading.ts"
import { isSameName } from "../schema/schema.ts"
import type { Loss } from "./loss.ts"

/** Whether the file says so; the request then holds it to what is declared. */
export function isDeclared(loss: Loss, declarations: Declaration[]): boolean {
  const isEach = loss.columns?.every((name) =>
    declarations.some(
      (declaration) =>
        "column" in declaration &&
        isSameName(declaration.table, loss.table) &&
        isSameName(declaration.column, name),
    ),
  )
  if (isEach === true && loss.columns !== undefined && loss.columns.length > 0) return true
  return declarations.some((declaration) => {
    if (declaration.does === "loses part") {
      const { part } = loss
      return (
        part?.broken === false &&
        declaration.kind === part.part.kind &&
        isSameName(declaration.name, part.part.name)
      )
    }
    if (loss.kind === "part" || !isSameName(declaration.table, loss.table)) return false
    const isAll = declaration.does === "loses" && declaration.atMost === Number.MAX_SAFE_INTEGER
    if (loss.kind === "repeat") return declaration.does === "repeats"
    if (declaration.does === "moves" || isAll) return true
    if (loss.kind === "row") return declaration.does === "loses" && loss.lines.length > 0
    return "column" in declaration && isSameName(declaration.column, loss.column ?? "")
  })
}

/**
 * The same with columns that follow a declared key by ON UPDATE CASCADE, in tables to which the file does
 * nothing else: their values change as those of the key do.
 */
export function withFollowing(reading: Reading, declarations: Declaration[]): Declaration[] {
  const { before, steps } = reading
  if (steps.some(({ effect }) => effect === undefined)) return declarations
  const following = before
    .filter(({ name }) => isOnlyFollowing(reading, name))
    .flatMap(({ name: table, foreignKeys }) =>
      foreignKeys.flatMap(({ columns, parent, parentColumns, onUpdate }) =>
        onUpdate === "CASCADE"
          ? columns.map((column, at) => ({ table, column, parent, key: parentColumns[at] ?? "" }))
          : [],
      ),
    )
  const all = [...declarations]
  const isChanged = (table: string, column: string) =>
    all.find(
      (declaration) =>
        declaration.does === "changes" &&
        isSameName(declaration.table, table) &&
        isSameName(declaration.column, column),
    )
  // What is found stands in the list for what follows it in turn.
  for (let length = 0; length < all.length;) {
    length = all.length
    for (const { table, column, parent, key } of following) {
      const declared = isChanged(parent, key)
      if (declared === undefined || isChanged(table, column) !== undefined) continue
      all.push({ does: "changes", table, column, line: declared.line, reason: declared.reason })
    }
  }
  return all
}

/** Whether nothing of the file but foreign keys writes a table. */
export function isOnlyFollowing({ deeds, steps, tables }: Reading, table: string): boolean {
  const live = tables.first(table)
  return !(
    deeds.some((deed) => deed.table === live) ||
    steps.some(({ effect }) =>
      [...(effect?.byTriggers ?? []), effect?.writes?.table ?? ""].some((one) =>
        isSameName(one, table),
      ),
    )
  )
}
