import { isCounting } from "../classification/checks.ts"
import type { ParsedStatement } from "../lint/parsed-script.ts"
import { isOwnTable, type Names, usualNames } from "../names.ts"
import { findTable, isSameName, readSchema, type Table } from "../schema/schema.ts"
import {
  type SchemaObject,
  type ScratchDatabase,
  scratchDatabaseOf,
} from "../schema/scratch-database.ts"
import type { TellingRow } from "../seed/telling-rows.ts"
import { folded } from "../sql/folded.ts"
import { apartIn, byApart } from "./apart-rows.ts"
import { conditionsIn } from "./conditions.ts"
import { keyOf, located, type Loss, type Observe, runWatched } from "./losses.ts"
import type { Difference } from "./moment.ts"
import type { Place } from "./places.ts"
import { type Ran, runFile } from "./run.ts"
import { settleRows, type Settled } from "./settled-rows.ts"
import { keysOf, makeWorld, type World } from "./world.ts"

export type Step = ParsedStatement & {
  /** SQLite's or D1's reason when it fails on no rows, or on all that were made up. */
  failure: string | undefined
}

/** What a file does to a schema with made-up rows in it: where each value is then, and each part of the tables. */
export type Trial = {
  own: Names
  steps: Step[]
  /** The tables that it finds. */
  before: Table[]
  /** And those that it leaves, as far as that is known without the rows. */
  after: Table[]
  /** The objects of the schema that it finds. */
  objects: SchemaObject[]
  losses: Loss[]
  /** Rows on which the file fails, so that nothing of it takes effect. */
  troubles: Settled["troubles"]
  /** Why it fails on every row that was made. */
  blocked: Settled["blocked"]
  /** Tables, in lower case, for which rows were made. */
  filled: Set<string>
  /** On no rows: each statement, though one before it failed. */
  onNothing: Ran[]
  /** On the rows on which it runs to its end. */
  onRows: Ran[]
  /** Where the values of each table are that the file has disturbed. */
  places: Place[]
  /** The names that tables of before have at the end, by those of then in lower case. */
  names: Map<string, string | undefined>
}

type Trying = {
  observe?: Observe
  names?: Names
  /** Whether the database has no rows but those of earlier files, so that none need be made up. */
  isEmpty?: boolean
}

/** @param database the schema that the file finds, which is not changed */
export function tryFile(
  database: ScratchDatabase,
  statements: ParsedStatement[],
  { names: own = usualNames, isEmpty = false, observe }: Trying = {},
): Trial {
  using unfilled = database.copy()
  const onNothing = runFile(unfilled, statements, { goOn: true }).steps
  const isForeign = (name: string) => !isOwnTable(name, own)
  const before = readSchema(database)
  const present = before.map(({ name }) => name)
  const names = [...new Set(onNothing.flatMap(({ effect }) => effect?.names ?? []))]
  const isRenumbering = onNothing.some(({ effect }) => effect?.writesSequences)
  const counting = isRenumbering ? present.filter((name) => isCounting(database, name)) : []
  const touched = [...names, ...namedIn(statements, present), ...counting].filter(isForeign)
  const isKnown = onNothing.every(({ failure }) => failure === undefined)
  const taken = isKnown ? takenIn(statements, onNothing) : touched
  const filled = isEmpty ? { names: [], taken: [] } : { names: touched, taken }
  using world = makeWorld({ database, statements, ...filled, left: unfilled })
  const fails = (rows: TellingRow[]) => {
    using trial = world.open(rows)
    return runFile(trial, statements).failed
  }
  const first = settleRows(world.rows, fails)
  const { troubles, blocked } = first
  const tried = {
    own,
    before,
    after: readSchema(unfilled),
    objects: database.objects(),
    steps: statements.map((statement, index): Step => {
      const onRows = blocked?.statement === index + 1 ? blocked.message : undefined
      return Object.assign(statement, { failure: onNothing[index]?.failure ?? onRows })
    }),
    filled: new Set(world.rows.map(({ table }) => folded(table))),
    troubles,
    blocked,
    onNothing,
  }
  if (blocked !== undefined) {
    const seen = runWatched(scratchDatabaseOf(database.objects()), statements, {
      among: present.filter(isForeign),
    })
    const ended = seen.run.failed === undefined ? seen : unseen
    return { ...tried, losses: [], onRows: [], places: ended.places, names: ended.names }
  }
  const meeting = meetingRows({ database, world, statements, rows: first.rows })
  const met = meeting.length === 0 ? first : settleRows([...first.rows, ...meeting], fails)
  const { rows } = met.blocked === undefined ? met : first
  // All others hold nothing that could go.
  const among = world.tables.filter(isForeign)
  const { run, differences, places, ...ended } = runWatched(world.open(rows), statements, {
    among,
    observe,
  })
  const isApart = apartIn(database, among, statements)
  const lossesOf = (some: TellingRow[], found: Difference[], steps: Ran[]) =>
    located({
      world,
      rows: some,
      statements,
      among,
      before,
      differences: byApart(found, isApart),
      effects: steps.map(({ effect }) => effect),
      stays: (table) => ended.names.get(folded(table)) !== undefined,
    })
  const losses = lossesOf(rows, differences, run.steps)
  const said = new Set(differences.map(keyOf))
  // What other rows hide: those in the way, NULL among what is looked for, and any at all.
  const full = rows.filter(({ features }) => !features.some((one) => /= NULL\b/.test(one)))
  const all = [first.rows, full, ...withoutRead(statements, rows, before)]
  const others = losses.length > mostSaid ? [] : all
  for (const some of others.filter((one) => one.length !== rows.length)) {
    const other = runWatched(world.open(some), statements, { among })
    if (other.run.failed !== undefined) continue
    const more = other.differences.filter((one) => !said.has(keyOf(one)))
    for (const one of more) said.add(keyOf(one))
    losses.push(...lossesOf(some, more, other.run.steps))
  }
  return { ...tried, losses, onRows: run.steps, places, names: ended.names }
}

/** Of a file that runs on no rows that can be made up. */
const unseen = { places: [], names: new Map<string, string | undefined>() }

/** Nobody declares more. */
const mostSaid = 20

/** Without the rows of each table that a copy joins to others, or that a condition looks into. */
function withoutRead(
  statements: ParsedStatement[],
  rows: TellingRow[],
  schema: Table[],
): TellingRow[][] {
  const read = statements.flatMap(({ node }) => {
    if (node?.type === "DeleteStmt" || node?.type === "UpdateStmt") {
      // Rows whose parent has none are in no database.
      const own = findTable(schema, node.tblName.objName.text)
      const isParent = (name: string) =>
        own?.foreignKeys.some(({ parent }) => isSameName(parent, name)) === true
      return conditionsIn(node).sources.filter((name) => !isParent(name))
    }
    if (node?.type !== "InsertStmt" && node?.type !== "CreateTableStmt") return []
    const { joined } = conditionsIn(node)
    return new Set(joined).size > 1 ? joined : []
  })
  return [...new Set(read.map((name) => folded(name)))]
    .slice(0, mostRead)
    .map((name) => rows.filter(({ table }) => folded(table) !== name))
}

/** What statements drop, write or alter, in words or by keys and triggers. */
function takenIn(statements: ParsedStatement[], ran: Ran[]): string[] {
  return ran.flatMap(({ effect }, index) => {
    const { drops = [], writes, follows = [], byTriggers = [] } = effect ?? {}
    const node = statements[index]?.node
    const altered = node?.type === "AlterTableStmt" ? [node.tblName.objName.text] : []
    return [...drops, ...follows, ...byTriggers, ...altered, ...(writes ? [writes.table] : [])]
  })
}

/** Of files that read more, the first. */
const mostRead = 4

/** Tables that a statement names which cannot be compiled before others have run. */
function namedIn(statements: ParsedStatement[], present: string[]): string[] {
  const words = new Set(
    statements.flatMap(({ node, sql }) =>
      node?.type === "InsertStmt" && node.body.type !== "SelectInsertBody"
        ? []
        : folded(sql).split(/[^\w$\u0080-\uffff]+/),
    ),
  )
  return present.filter((name) => words.has(folded(name)))
}

type Meeting = {
  database: ScratchDatabase
  world: World
  statements: ParsedStatement[]
  rows: TellingRow[]
}

/** More of one table say nothing new. */
const mostMeeting = 12

/**
 * Rows that have a unique value which the file writes, too: what is in its way is ignored, replaced
 * or updated if the statement or the table says so, and else the file fails.
 */
function meetingRows({ database, world, statements, rows }: Meeting): TellingRow[] {
  const words = /\b(?:replace|ignore|conflict)\b/i
  const schema = database.texts("SELECT sql FROM sqlite_master")
  const isMet = (sql: string) => words.test(sql)
  if (!statements.some(({ sql }) => isMet(sql)) && !schema.some(isMet)) return []
  using trial = world.open(rows)
  const before = readSchema(trial).map((table) => ({ table, keys: keysOf(trial, table) }))
  const { steps } = runFile(trial, statements)
  const written = new Set([
    ...steps.flatMap(({ effect }) => effect?.writes?.table ?? []),
    ...steps.flatMap(({ effect }) => effect?.byTriggers ?? []),
  ])
  const now = readSchema(trial)
  return before.flatMap(({ table: { name: table }, keys }) => {
    const found = findTable(now, table)
    if (!written.has(table) || found === undefined) return []
    const after = keysOf(trial, found)
    return [...keys].flatMap(([columns, known]) => {
      const former = new Set(known.map((values) => values.join("\n")))
      const fresh = (after.get(columns) ?? []).filter((values) => !former.has(values.join("\n")))
      return fresh.slice(0, mostMeeting).flatMap((values) => {
        const cells = Object.fromEntries(
          columns.split("\n").map((name, at) => [name, values[at] ?? "NULL"]),
        )
        return world.rowsWith(table, cells)
      })
    })
  })
}
