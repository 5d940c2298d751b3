import { type Misfit, misfitsOf, namesOf } from "../schema/misfits.ts"
import { findTable, isRowid, isSameName, readSchema } from "../schema/schema.ts"
import type { ScratchDatabase } from "../schema/scratch-database.ts"
import { folded } from "../sql/folded.ts"
import { type Part, partsOf, readParts } from "./parts.ts"

/** A change that makes a version fail which uses the table, with any rows. */
export type BreakingChange = Misfit | { kind: "view"; table: string }

/** A new constraint of an existing table, which its rows or the writes of earlier versions may violate. */
export type NewConstraint = {
  kind: "not null" | "unique" | "check" | "reference"
  table: string
  /** Columns, or the condition of a check. */
  detail: string
  /** None for a condition. */
  columns: string[]
}

/** Compares by name: a table that was rebuilt under its name with the same columns is the same. */
export function compareSchemas(
  before: ScratchDatabase,
  after: ScratchDatabase,
): { breaks: BreakingChange[]; tightens: NewConstraint[] } {
  const [then, now] = [readSchema(before), readSchema(after)]
  const sharedNames = now
    .map(({ name }) => name)
    .filter((name) => findTable(then, name) !== undefined)
  const [parts, is] = [
    partsOf(readParts(before), sharedNames),
    partsOf(readParts(after), sharedNames),
  ]
  const views = new Set(is.flatMap(({ kind, name }) => (kind === "view" ? [name] : [])))
  const lostViews = parts.filter(({ kind, name }) => kind === "view" && !views.has(name))
  const required = now.flatMap(({ name: table, columns }) =>
    columns.flatMap(({ name, notNull }): NewConstraint[] => {
      const column = findTable(then, table)?.columns.find((candidate) =>
        isSameName(candidate.name, name),
      )
      const isNew = notNull && column?.notNull === false
      return isNew ? [{ kind: "not null", table, detail: name, columns: [name] }] : []
    }),
  )
  // SQLite numbers an INTEGER PRIMARY KEY itself.
  const isCounted = ({ table, columns }: Part) =>
    now.some(
      (candidate) =>
        candidate.name === table && columns.length === 1 && isRowid(candidate, columns[0] ?? ""),
    )
  const rules = is.flatMap((part) => (isCounted(part) ? [] : (newConstraintOf(part, parts) ?? [])))
  return {
    breaks: [
      ...misfitsOf(namesOf(then), now),
      ...lostViews.map(({ name }) => ({ kind: "view" as const, table: name })),
    ],
    tightens: [...required, ...rules],
  }
}

/** Undefined for what is no rule, or was one before. */
function newConstraintOf(part: Part, parts: Part[]): NewConstraint | undefined {
  const { kind, table, columns } = part
  if (kind !== "unique" && kind !== "check" && kind !== "reference") return undefined
  const isSame = (earlier: Part) =>
    earlier.kind === kind && isSameName(earlier.table, table) && ruleOf(earlier) === ruleOf(part)
  if (parts.some(isSame)) return undefined
  if (kind === "check") return { kind, table, detail: part.definition, columns: [] }
  const list = folded(columns.join(", ")) || part.name
  return { kind, table, detail: kind === "unique" ? list : ruleOf(part), columns }
}

/** The definition to compare; for a reference without its actions. */
function ruleOf({ kind, columns, definition }: Part): string {
  if (kind !== "reference") return definition
  return folded(`${columns.join(", ")} → ${definition.split("|")[0]}`)
}
