import { counted } from "../failure.ts"
import type { FileRun, TableRows } from "./pending-files.ts"
import type { Rehearsal } from "./rehearsal.ts"

/** Facts of a report beside the rehearsal. */
export type Told = {
  /** The state of the database that it starts from, such as a commit. */
  base: string
  facts: string[]
  problems: string[]
}

const noRows = "No table has a row, so it shows only that the files run: give rows with --rows."

/** A report without a backtick, so that a code block of Markdown can hold it. */
export function rehearsalText(rehearsal: Rehearsal, { base, facts, problems }: Told): string {
  const { rows, files, notRun } = rehearsal
  if (files.length === 0) return `No migration is new since ${base}: nothing to rehearse.`
  return [
    `Base ${base}, ${counted(rows, "row")}${rows === 0 ? `. ${noRows}` : ""}`,
    ...files.map(fileText),
    ...notRun.map((name) => `\n${name}: not run`),
    ...(facts.length === 0 ? [] : ["", ...facts]),
    ...(problems.length === 0
      ? []
      : [`\nNot as it is:\n${problems.map((problem) => `- ${problem}`).join("\n")}`]),
  ]
    .map(lineByLine)
    .join("\n")
    .replaceAll("`", "'")
}

function fileText(file: FileRun): string {
  const { name, class: kind, outcome } = file
  return `\n${name}: ${kind}, ${outcome}\n  rows    ${rowsText(file)}`
}

function rowsText(file: FileRun): string {
  const { changed, kept } = rowChanges(file)
  const keep = kept === 1 ? "keeps its" : "keep their"
  const unchanged = `${counted(kept, "table")} ${keep} rows`
  const text = [...changed, ...(kept === 0 ? [] : [unchanged])].join(", ")
  if (file.outcome === "applied") return text
  return changed.length === 0 ? "not applied" : `not applied; without the row guard: ${text}`
}

/** Text of a file, such as a table's name, must not steer the terminal. */
function lineByLine(text: string): string {
  return text.replaceAll(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/gu, "?")
}

/** Why the files must not be applied as they are; empty when they may. */
export function problemsOf({ files }: Rehearsal): string[] {
  return files.flatMap(reasonOf)
}

function reasonOf({ name, outcome, reason = "" }: FileRun): string[] {
  if (outcome === "applied") return []
  return [reason.startsWith(name) ? reason : `${name}: ${reason}`]
}

/** Lists tables with another number of rows and dropped columns, and counts the tables that keep their rows. */
function rowChanges({ tables, lost }: FileRun): { changed: string[]; kept: number } {
  const changed = tables.filter(({ before, after }) => before !== after)
  const columns = lost.map((column) => `${column} → gone`)
  return {
    changed: [...changed.map(describeRows), ...columns],
    kept: tables.length - changed.length,
  }
}

function describeRows({ table, before, after }: TableRows): string {
  if (before !== undefined) return `${table} ${before} → ${after ?? "gone"}`
  return after === 0 ? `${table} is new` : `${table} is new, with ${counted(after ?? 0, "row")}`
}
