import type { Declaration } from "../files/declarations.ts"
import { isSameName } from "../schema/schema.ts"
import { exampleOf } from "./fates.ts"
import { empty } from "./held-tables.ts"
import type { Loss } from "./losses.ts"

/**
 * What a file does to what a database holds, one set for lint, plan, review, rehearsal and `up`:
 * `loses` and `changes` have to be declared; `tidies` is only said.
 */
export type LossClass = "loses" | "changes" | "tidies"

export function classOf(loss: Loss): LossClass {
  if (loss.kind === "part") {
    return !loss.broken && loss.isSaid ? "tidies" : "loses"
  }
  if (loss.kind === "tidied" || loss.apart !== undefined) return "tidies"
  return loss.kind === "change" ? "changes" : "loses"
}

/** As in `note.text: 4 of 43 values are nowhere at the end ('a' is now NULL)`. */
export function describeLoss(loss: Loss): string {
  if (loss.kind === "part") return describePart(loss)
  const { kind, table, column, held, rows, apart, keys, filled = [] } = loss
  const name = `${table}.${column ?? ""}`
  const [was, is] = exampleOf(loss)
  const values = held.index[held.columns.indexOf(column ?? "")]
  const of = held.rows.length - (was === empty ? 0 : (values?.get(empty)?.length ?? 0))
  const share = `${rows.length} of ${of} made-up`
  const now = is === undefined ? "" : `, as in ${valueText(was)} → ${valueText(is)}`
  const actions = keys.map(({ columns, parent, onDelete, onUpdate }) => {
    const isUpdate = kind !== "row" && onDelete === "NO ACTION"
    const action = isUpdate ? `ON UPDATE ${onUpdate}` : `ON DELETE ${onDelete}`
    return `${columns.join(", ")} → ${parent} ${action}`
  })
  if (loss.byReference) {
    const by = actions.length === 0 ? "a trigger" : actions.join(", ")
    if (kind === "row") return `rows of ${table} are deleted (${by})`
    if (is === undefined || is === empty) return `${name} is emptied (${by})`
    const [key] = keys
    return key?.onUpdate === "CASCADE"
      ? `${name} follows the key that it refers to (${key.columns.join(", ")} → ${key.parent} ON UPDATE CASCADE)`
      : `${name} gets other values (${by})`
  }
  if (apart === "type") {
    return `${name} gets other values where a row holds one of another type than the column's${now}`
  }
  if (apart === "said") {
    const what = kind === "row" ? `rows of ${table} are gone` : `${name} is overwritten`
    return `${what} in rows that files name, by their keys or whole${now}`
  }
  if (kind === "row" && filled.length > 0) {
    return `rows of ${table}, which has no key, are found again only without ${filled.join(", ")}, which the copy fills or tidies (${share} rows)`
  }
  if (kind === "row") {
    return `rows of ${table} are gone, and what they held is nowhere (${share} rows)`
  }
  if (kind === "repeat") {
    return `rows of ${table} are there more often than before, but for their keys (${share} rows)`
  }
  if (kind === "link") {
    return `${name} is emptied: what refers to another row refers to none (${share} values)`
  }
  if (kind === "tidied") {
    return was === empty
      ? `${name} is filled where it was NULL (${of} made-up rows, of which ${rows.length}${now})`
      : was.startsWith("bigint ")
        ? `${name} is rounded in numbers above 2^53 (${share} values${now})`
        : `${name} loses blanks or capital letters (${share} values${now})`
  }
  if (kind === "change") {
    return `${name} gets other values, made of what it held (${share} values${now})`
  }
  return is === undefined
    ? `${name} goes, and its values are nowhere (${share} values)`
    : `${name} loses its values: they are nowhere at the end (${share} values${now})`
}

function describePart({ part, broken, isSaid }: Extract<Loss, { kind: "part" }>): string {
  const { kind, name, table, columns, definition, now } = part
  if (broken) return `the ${kind} ${name} no longer works: ${definition}`
  if (kind === "sequence") {
    return `the numbers of deleted rows of ${table} are given again: its AUTOINCREMENT starts anew after the largest that is left`
  }
  if (isSaid) return `the ${kind} ${name} of ${table} is dropped`
  if (now !== undefined) {
    const [was, is] = [definition, now].map((one) => one.replaceAll(" binary", ""))
    return `the ${kind} ${name} of ${table} is another one: it was (${was}), and is (${is})`
  }
  const isNamed = ["index", "trigger", "view", "default"].includes(kind)
  const detail = kind === "unique" ? columns.join(", ") : definition.replaceAll("|", " ").trim()
  return `the ${kind} ${name} of ${table} is gone${isNamed ? "" : ` (${detail})`}`
}

/** Values as people write them in SQL. */
function valueText(value: string): string {
  const text = value.slice(value.indexOf(" ") + 1)
  const short = text.length > 40 ? `${text.slice(0, 40)}…` : text
  if (value === empty) return "NULL"
  return value.startsWith("string ") ? `'${short}'` : short
}

/** The declarations that together allow it; none where nothing does. */
export function declarationsFor(loss: Loss): string[] {
  if (loss.kind === "part") {
    return loss.broken ? [] : [`loses ${loss.part.kind} ${quoted(loss.part.name)}`]
  }
  const table = quoted(loss.table)
  const column = `${table}.${quoted(loss.column ?? "")}`
  const { filled = [] } = loss
  if (filled.length > 0) {
    const changes = filled.map((name) => `changes ${table}.${quoted(name)}`)
    return [`loses ${table}, at most 0 rows`, ...changes]
  }
  if (loss.kind === "row") return [`loses ${table}, at most N rows`]
  if (loss.kind === "repeat") return [`repeats ${table}, at most N rows`]
  if (loss.kind === "link") return [`empties ${column}, at most N rows`]
  return [loss.kind === "change" ? `changes ${column}` : `loses ${column}`]
}

function quoted(name: string): string {
  return /[\s.,:"]/.test(name) && !/^[^\s.,:"]+\.[^\s.:"]+$/.test(name)
    ? `"${name.replaceAll('"', '""')}"`
    : name
}

export function isDeclared(loss: Loss, declarations: Declaration[]): boolean {
  if (loss.part === undefined && loss.isAlong) return false
  return declarations.some((one) => {
    if (loss.kind === "part") {
      return (
        !loss.broken &&
        one.does === "loses part" &&
        one.kind === loss.part.kind &&
        isSameName(one.name, loss.part.name)
      )
    }
    if (one.does === "loses part" || !isSameName(one.table, loss.table)) return false
    if (one.does === "moves") return loss.kind !== "repeat"
    if (loss.kind === "row") return one.does === "loses"
    if (loss.kind === "repeat") return one.does === "repeats"
    if (!("column" in one) || !isSameName(one.column, loss.column ?? "")) return false
    if (one.does === "loses values" || one.does === "moves values") return true
    if (one.does === "empties") return loss.kind === "link"
    return isChange(loss)
  })
}

/** Whether other values stand there: neither nothing, nor one value for all that were different. */
function isChange({ held, column, rows, after }: Extract<Loss, { part?: undefined }>): boolean {
  const index = held.columns.indexOf(column ?? "")
  const all = held.rows.map(({ cells }, row) => [cells[index], after(row)] as const)
  const isOne = (at: 0 | 1) => new Set(all.map((pair) => pair[at])).size === 1
  // A text of nothing but blanks may become none.
  const isEmptied = rows.some(
    (row) =>
      (after(row) ?? empty) === empty && !/^string\s*$/.test(held.rows[row]?.cells[index] ?? ""),
  )
  return !isEmptied && (isOne(0) || !isOne(1))
}
