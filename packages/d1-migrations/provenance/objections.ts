import type { Declaration } from "../files/declarations.ts"
import type { Migration } from "../files/migration-files.ts"
import type { Names } from "../names.ts"
import { isSameName } from "../schema/schema.ts"
import { placeOf } from "../sql/statement-place.ts"
import type { Loss } from "./losses.ts"
import type { Provenance } from "./provenance.ts"
import { ofReferences } from "./run.ts"
import { classOf, declarationFor, describeLoss, isDeclared, isMeant } from "./wording.ts"

type Judged = {
  file: Migration
  provenance: Provenance
  declarations: Declaration[]
  /** Tables of before that the file drops or writes. */
  touched: string[]
}

/** Why a file must not run: what it takes without a declaration, or what cannot be known of it. */
export function objectionsTo({ file, provenance, declarations, touched }: Judged): string[] {
  const { losses, unknown, blocked, onNothing } = provenance
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
  const unclear = unknown
    .filter(({ table }) => !isMeant(table, declarations))
    .map(
      ({ statement, table, reason }) =>
        `${placeOf(file, statement)}: what becomes of the rows of ${table} could not be judged: ${reason}. If rows may go, say so in the file: -- ${file.names.declarations}:loses ${table}, at most N rows: <reason>`,
    )
  const isTouched = (table: string) =>
    [...touched, ...losses.map((loss) => loss.table)].some((name) => isSameName(name, table))
  const idle = declarations
    .filter(({ table }) => table !== undefined && !isTouched(table))
    .filter(() => blocked === undefined)
    .map(
      ({ line, does, table }) =>
        `${file.name}, line ${line} declares that it ${does} ${table}, which it does not touch: remove the line, or correct the name`,
    )
  const failing = blocked === undefined ? [] : failure(file, { ...blocked, onNothing })
  return [...taken, ...undeclared, ...unclear, ...failing, ...uncheckedBy(file), ...idle]
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
  return provenance.losses
    .filter((loss) => isAllowed(loss, declarations, provenance))
    .map((loss) => `${placeOf(file, loss.statement)}: ${describeLoss(loss)}`)
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
  return loss.byReference && loss.kind !== "part" && stays && !inWords
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

/** Of rows that a real database has, or has not: what SQLite refuses in any case, D1 refuses, too. */
const ofRows = /constraint failed|datatype mismatch|cannot store|malformed JSON|constraint/i

type Failing = { statement: number; message: string; onNothing: Provenance["onNothing"] }

function failure(file: Migration, { statement, message, onNothing }: Failing): string[] {
  if (!ofRows.test(message)) return []
  const place = placeOf(file, statement)
  const effect = onNothing[statement - 1]?.effect
  const table = effect?.drops[0] ?? effect?.writes?.table ?? ""
  if (message === ofReferences) {
    return [
      `${place} fails as soon as rows refer to ${table}: ${ofReferences}. ${ignored} ${remedyFor(file)}`,
    ]
  }
  return [
    `${place} fails on every row that could be made up for a trial, so it could not be judged what the file does to real ones: ${message}`,
  ]
}
