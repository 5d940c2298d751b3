import type { Declaration } from "../files/declarations.ts"
import type { Migration } from "../files/migration-files.ts"
import { readAcceptances } from "../lint/acceptances.ts"
import type { Names } from "../names.ts"
import { isSameName, type Table } from "../schema/schema.ts"
import type { StatementEffect } from "../schema/statement-effect.ts"
import { placeOf } from "../sql/statement-place.ts"
import { empty } from "./held-tables.ts"
import type { Loss } from "./losses.ts"
import type { Provenance } from "./provenance.ts"
import { ofReferences } from "./run.ts"
import { classOf, declarationFor, describeLoss, isDeclared } from "./wording.ts"

type Judged = {
  file: Migration
  provenance: Provenance
  declarations: Declaration[]
  /** Tables of before that the file drops or writes. */
  touched: string[]
  /** The tables that it finds. */
  before: Table[]
}

/**
 * Why a file must not run: what it takes without a declaration. What made-up rows do not show is no
 * reason: the request compares the real ones.
 */
export function objectionsTo({
  file,
  provenance,
  declarations,
  touched,
  before,
}: Judged): string[] {
  const { losses, blocked, onNothing } = provenance
  const open = losses.filter((loss) => !isAllowed(loss, declarations, provenance))
  const undeclared = open
    .filter((loss) => !isTakenAlong(loss, provenance))
    .map((loss) => `${placeOf(file, loss.statement)}${ask(file.names, loss, provenance)}`)
  const along = Map.groupBy(
    open.filter((loss) => isTakenAlong(loss, provenance)),
    ({ statement }) => statement,
  )
  const places = [...along].map(([statement, taken]) => {
    return `${placeOf(file, statement)}: ${taken.map(describeLoss).join("; ")}`
  })
  const taken = places.length === 0 ? [] : [`${places.join(". ")}. ${ignored} ${remedyFor(file)}`]
  const isTouched = (table: string) =>
    [...touched, ...losses.map((loss) => loss.table)].some((name) => isSameName(name, table))
  const idle = declarations
    .filter(({ table }) => table !== undefined && !isTouched(table))
    .filter(() => blocked === undefined)
    .map(
      ({ line, does, table }) =>
        `${file.name}, line ${line} declares that it ${does} ${table}, which it does not touch: remove the line, or correct the name`,
    )
  const failing = blocked === undefined ? [] : failure(file, { ...blocked, onNothing, before })
  return [...taken, ...undeclared, ...failing, ...uncheckedBy(file), ...idle]
}

const unchecking =
  /^PRAGMA\s+(?:\w+\s*\.\s*)?ignore_check_constraints\s*[=(]\s*'?(?:on|1|true|yes)/i

/** No comparison of values finds rows that break a CHECK. */
function uncheckedBy(file: Migration): string[] {
  const at = file.statements.findIndex(({ sql }) => unchecking.test(sql))
  return at < 0
    ? []
    : [`${placeOf(file, at + 1)} lets rows in that break a CHECK, and nothing finds them later`]
}

/** What a file does as it declares, or without harm, for who reviews it. */
export function notesOf({ file, provenance, declarations }: Judged): string[] {
  const { losses, unknown, blocked } = provenance
  const untried =
    blocked === undefined
      ? []
      : [
          `${placeOf(file, blocked.statement)}: fails on every row that could be made up for a trial (${blocked.message}); the request compares what it does to real ones`,
        ]
  return [
    ...losses
      .filter((loss) => isAllowed(loss, declarations, provenance))
      .map((loss) => `${placeOf(file, loss.statement)}: ${describeLoss(loss)}`),
    ...unknown.map(
      ({ statement, table, reason }) =>
        `${placeOf(file, statement)}: what becomes of the rows of ${table} is compared in the request: ${reason}`,
    ),
    ...untried,
  ]
}

/** What a drop takes along by foreign keys no declaration allows: such rows are deleted in words. */
function isAllowed(loss: Loss, declarations: Declaration[], provenance: Provenance): boolean {
  if (classOf(loss) === "tidies") return true
  return !isTakenAlong(loss, provenance) && isDeclared(loss, declarations)
}

function isTakenAlong(loss: Loss, { onRows, names }: Provenance): boolean {
  const effect = onRows[loss.statement - 1]?.effect
  const stays = names.get(loss.table.toLowerCase()) !== undefined
  const inWords = effect?.writes?.by === "delete"
  if (!loss.byReference || loss.kind === "part" || !stays || inWords) return false
  // What follows a key, or what a trigger writes, is changed, and not taken along.
  return loss.kind === "row" || (loss.example[1] ?? empty) === empty
}

const ignored =
  "D1 enforces foreign keys in every migration: PRAGMA foreign_keys is ignored, and " +
  "PRAGMA defer_foreign_keys defers checks, not ON DELETE."

function remedyFor({ name, names }: Migration): string {
  return `Rebuild the table with its keys moved away first, as \`${names.command} fix ${name}\` writes it; rows that shall go are deleted in words first (DELETE FROM).`
}

function ask({ declarations: own }: Names, loss: Loss, { onRows }: Provenance): string {
  const effect = onRows[loss.statement - 1]?.effect
  const declaration = declarationFor(loss)
  if (loss.kind === "row" && !loss.byReference) {
    const all = effect?.drops.some((name) => isSameName(name, loss.table)) === true
    const said = all ? declaration?.replace(/at most N rows$/, "all rows") : declaration
    return ` takes rows of ${loss.table} for good. If it shall, say so in the file: -- ${own}:${said}: <reason>`
  }
  const say =
    declaration === undefined
      ? "Correct it in the file."
      : `If it shall, say so in the file: -- ${own}:${declaration}: <reason>`
  return `: ${describeLoss(loss)}. ${say}`
}

type Failing = Pick<Judged, "before"> & {
  statement: number
  message: string
  onNothing: Provenance["onNothing"]
}

/** Rows that refer to others are in every database: the file fails there, and its author is told how not to. */
function failure(file: Migration, { statement, message, onNothing, before }: Failing): string[] {
  const parent = parentIn(onNothing[statement - 1]?.effect, before)
  if (message !== ofReferences || parent === undefined || isAccepted(file, statement)) return []
  return [
    `${placeOf(file, statement)} fails as soon as rows refer to ${parent}: ${ofReferences}. ${ignored} ${remedyFor(file)} If no row refers to it, say so above the statement: -- ${file.names.declarations}:accept cascade-parent: <reason>`,
  ]
}

/** A table to which others refer, and that a statement drops, or whose rows it deletes or gives other keys. */
export function parentIn(effect: StatementEffect | undefined, before: Table[]): string | undefined {
  const { drops = [], writes } = effect ?? {}
  const name = drops[0] ?? (writes?.by === "insert" ? undefined : writes?.table)
  const isParent = before.some(({ foreignKeys }) =>
    foreignKeys.some(({ parent }) => isSameName(parent, name ?? "")),
  )
  return isParent ? name : undefined
}

function isAccepted({ sql, statements, names }: Migration, statement: number): boolean {
  return readAcceptances(sql, statements, names).some(
    (one) => one.rule === "cascade-parent" && one.statement === statement,
  )
}
