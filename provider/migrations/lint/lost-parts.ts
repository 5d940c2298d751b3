import { isSameName } from "../rehearsal/schema.ts"
import { bareColumn, columnValuesOf } from "./column-values.ts"
import { copiedRowsOf } from "./copied-rows.ts"
import type { Found } from "./rule.ts"
import type { Step, Trial } from "./trial.ts"
import { isGuessed } from "./unknown-tables.ts"

/** What a rebuilt table had and has no more: columns, indexes, triggers, unique keys, values. */
export function findLostParts(trial: Trial): Found[] {
  const { steps, before, after } = trial
  return [
    ...before.tables.flatMap((table): Found[] => {
      const rebuilt = after.tables.find(({ name }) => isSameName(name, table.name))
      const step = dropOf(steps, table.name)
      if (rebuilt === undefined || step === undefined || isGuessed(table.name)) return []
      const lost = [
        ...lostColumns(table, rebuilt).map((name) => `column ${name}`),
        ...lostObjects(trial, table.name),
        ...lostKeys(table, rebuilt).map((columns) => `uniqueness of (${columns})`),
      ]
      if (lost.length === 0) return []
      const at = step.node?.type === "DropTableStmt" ? step.node.tblName.span.offset : 0
      const message = `${table.name} is rebuilt without what it had: ${lost.join(", ")}`
      const rewrite = "Create each of them again after the rebuild, unless it shall go."
      return [{ step, at, level: "warning", message, rewrite }]
    }),
    ...steps.flatMap((step) => findTexts(step)),
  ]
}

function dropOf(steps: Step[], table: string): Step | undefined {
  return steps.find(
    ({ node }) => node?.type === "DropTableStmt" && isSameName(node.tblName.objName.text, table),
  )
}

type Structured = Trial["before"]["tables"][number]

function lostColumns(table: Structured, rebuilt: Structured): string[] {
  const kept = new Set(rebuilt.columns.map(({ name }) => name.toLowerCase()))
  return table.columns.map(({ name }) => name).filter((name) => !kept.has(name.toLowerCase()))
}

function lostObjects({ before, after, steps }: Trial, table: string): string[] {
  return before.objects
    .filter((one) => isSameName(one.table, table))
    .filter((one) => !after.objects.some(({ name }) => isSameName(name, one.name)))
    .filter(({ name }) => !steps.some(({ node }) => isSameName(droppedBy(node) ?? "", name)))
    .map(({ type, name }) => `${type} ${name}`)
}

function droppedBy(node: Step["node"]): string | undefined {
  if (node?.type === "DropIndexStmt") return node.idxName.objName.text
  return node?.type === "DropTriggerStmt" ? node.triggerName.objName.text : undefined
}

/** Of unnamed ones: those of named indexes are told by their name. */
function lostKeys(table: Structured, rebuilt: Structured): string[] {
  return table.uniqueKeys
    .filter(({ index }) => index.startsWith("sqlite_autoindex_"))
    .map(({ columns }) => columns.join(", "))
    .filter((columns) => !rebuilt.uniqueKeys.some((key) => key.columns.join(", ") === columns))
}

/** "A name" that is no column of the source is text for SQLite: every row gets the name itself. */
function findTexts(step: Step): Found[] {
  const copy = copiedRowsOf(step)
  const source = step.tables.find(({ name }) => isSameName(name, copy?.source ?? ""))
  if (copy === undefined || source === undefined || !step.holdsRows(copy.source)) return []
  if (copy.select.from?.joins !== undefined && copy.select.from.joins.length > 0) return []
  const has = (column: string) => source.columns.some(({ name }) => isSameName(name, column))
  return columnValuesOf(copy).flatMap(({ column, value }): Found[] => {
    const name = bareColumn(value)
    const at = value.span.offset
    const quoted = step.sql[at] === '"'
    if (value.type !== "Id" || name === undefined || !quoted || has(name)) return []
    if (["rowid", "oid", "_rowid_"].includes(name.toLowerCase())) return []
    const level = has(column) ? "error" : "warning"
    const lost = has(column) ? `, and what ${copy.source}.${column} held is lost` : ""
    const message = `${copy.source} has no column "${name}": every row gets the text '${name}'${lost}`
    const rewrite = `Leave ${column} out of both lists, or name a value for it in '' or as a number.`
    return [{ step, at, level, message, rewrite }]
  })
}
