import type { Declaration } from "../files/declarations.ts"
import { isSameName } from "../schema/schema.ts"
import type { Loss } from "./loss.ts"

/** Whether a file declares a loss; the request then compares it with the declaration. */
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
