import { type Expr, parseStmt, type Select, type Stmt } from "sqlite3-parser"

import { isOwnTable, type Names, usualNames } from "../names.ts"
import {
  brokenParts,
  isCounting,
  isWithin,
  lostParts,
  type Part,
  partsOf,
  readParts,
} from "../parts/parts.ts"
import { compareSchemas } from "../parts/schema-change.ts"
import { followTables, type LiveTable } from "../schema/live-tables.ts"
import { findTable, isSameName, readDefinitions, readSchema } from "../schema/schema.ts"
import { type ScratchDatabase, scratchDatabaseOf } from "../schema/scratch-database.ts"
import type { StatementEffect } from "../schema/statement-effect.ts"
import { folded } from "../sql/folded.ts"
import type { Assignment, Operation, LostPart, Analysis, Step } from "./analysis.ts"
import { destinationsOf } from "./destinations.ts"
import { replacesRows } from "./inserts.ts"
import { type ParsedStatement, tableIn } from "./parsed-script.ts"
import { type Arm, armsOf, type Output, outputOf, type Scope, type Source } from "./query.ts"
import { reachOf } from "./reach.ts"
import { runFile } from "./run.ts"

/** Analyzes a file on the schema of `database`, which is not changed. */
export function analyzeFile(
  database: ScratchDatabase,
  statements: ParsedStatement[],
  names: Names = usualNames,
): Analysis {
  const objects = database.objects()
  using scratch = scratchDatabaseOf(objects)
  const before = readSchema(scratch)
  const tables = followTables(scratch)
  const originalNames = new Map<LiveTable, string>()
  const origins = new Map<LiveTable, Map<string, Source[]>>()
  for (const { name, columns } of before) {
    const live = tables.findByName(name)
    if (live === undefined) continue
    originalNames.set(live, name)
    const sources = columns.map((columnInfo): [string, Source[]] => {
      const column = folded(columnInfo.name)
      return [column, [{ table: live, column }]]
    })
    origins.set(live, new Map(sources))
  }
  const operations: Operation[] = []
  const written = new Map<LiveTable, number>()
  const reach = reachOf({ scratch, before, former: originalNames, tables, statements })
  const columnsOf = (table: LiveTable) =>
    scratch.texts("SELECT name FROM temp.pragma_table_xinfo(?) WHERE hidden <> 1", table.name)
  const scope: Scope = {
    named(name) {
      const table = tables.findByName(name)
      if (table !== undefined) return { table, columns: columnsOf(table) }
      const [view] = scratch.texts(
        "SELECT sql FROM sqlite_master WHERE type = 'view' AND name = ? COLLATE NOCASE",
        name,
      )
      return view === undefined ? undefined : { view }
    },
    holds: () => false,
  }
  const originsOf = ({ table, column }: Source) => origins.get(table)?.get(column) ?? []
  /** Whether a condition holds in any database; undefined if it depends on rows or chance. */
  const constantIn = (sql: string) => (expression: Expr) => {
    const { offset, length } = expression.span
    const text = sql.slice(offset, offset + length)
    if (/\b(?:select|random|randomblob|now)\b/i.test(text)) return undefined
    try {
      const [row] = scratch.rows(`SELECT (${text}) IS TRUE AS holds`)
      return Number(row?.["holds"]) === 1
    } catch {
      return undefined
    }
  }
  const copied = (table: LiveTable, columns: string[], arm: Arm) => {
    const into = origins.get(table) ?? new Map<string, Source[]>()
    origins.set(table, into)
    for (const [index, column] of columns.entries()) {
      const output = arm.outputs[index]
      if (output === undefined || (output.value !== "same" && output.value !== "filled")) continue
      into.set(column, [...(into.get(column) ?? []), ...output.reads.flatMap(originsOf)])
    }
  }
  const setsOf = (table: LiveTable, node: Extract<Stmt, { type: "UpdateStmt" }>): Assignment[] => {
    const outputs = columnsOf(table).map((columnName): Output => {
      const column = folded(columnName)
      return { name: column, reads: [{ table, column }], value: "same" }
    })
    const alias = node.tblName.alias?.text ?? node.tblName.objName.text
    const self = { alias, outputs, tables: [table], limit: undefined }
    return node.sets.flatMap(({ colNames, expr }) => {
      const isOne = colNames.length === 1
      const parts = !isOne && expr.type === "ParenthesizedExpr" ? expr.exprs : []
      return colNames.map(({ text }, index) => {
        const part = isOne ? expr : parts[index]
        const output: Output =
          part === undefined ? { name: "", reads: [], value: "other" } : outputOf(part, [self])
        const column = folded(text)
        return { column, output, origins: originsOf({ table, column }) }
      })
    })
  }

  const noteFollowers = (number: number, { drops, writes, cascades }: StatementEffect): void => {
    const by = writes?.by ?? "drop"
    const name = writes?.table ?? drops[0] ?? ""
    const parent = tables.findByName(name)
    if (parent === undefined || drops.length + cascades.length === 0) return
    for (const child of readSchema(scratch)) {
      const table = tables.findByName(child.name)
      const isBlocked = !cascades.some((follower) => isSameName(follower, child.name))
      if (table === undefined || (isBlocked && by !== "drop")) continue
      if (table === parent && by === "drop") continue
      const parents = isBlocked ? [name] : [name, ...cascades]
      for (const foreignKey of child.foreignKeys) {
        if (!parents.some((reached) => isSameName(reached, foreignKey.parent))) continue
        const target = tables.findByName(foreignKey.parent)
        const originalName = target && originalNames.get(target)
        const key = { ...foreignKey, parent: originalName ?? foreignKey.parent }
        operations.push({ number, table, does: "follow", key, parent, by, isBlocked })
      }
    }
  }

  const note = (number: number, effect: StatementEffect): void => {
    reach.note(number, effect)
    const { drops, writes, cascades, byTriggers } = effect
    for (const name of [writes?.table ?? "", ...cascades, ...byTriggers]) {
      const table = tables.findByName(name)
      if (table !== undefined) written.set(table, number)
    }
    for (const name of drops) {
      const table = tables.findByName(name)
      if (table === undefined) continue
      const isWritten = written.has(table)
      operations.push({ number, table, does: "drop", names: tables.currentNames(), isWritten })
    }
    noteFollowers(number, effect)
    for (const { name, column } of firedBy(scratch, effect)) {
      const table = tables.findByName(name)
      if (table !== undefined) operations.push({ number, table, does: "fire", column })
    }
    const node = statements[number - 1]?.node
    if (node?.type !== "AlterTableStmt" || node.body.type !== "DropColumnAlterTableBody") return
    const table = tables.findByName(node.tblName.objName.text)
    if (table === undefined) return
    const column = folded(node.body.column.text)
    const sources = originsOf({ table, column })
    operations.push({ number, table, does: "drop column", column, origins: sources })
    origins.get(table)?.delete(column)
  }

  const follow = (number: number, { changesSchema }: StatementEffect): void => {
    if (changesSchema) tables.refresh()
    const { node, sql = "" } = statements[number - 1] ?? {}
    const table = node && tables.findByName(tableIn(node)?.text ?? "")
    if (node === undefined || table === undefined) return
    const constant = constantIn(sql)
    const here: Scope = { ...scope, holds: (expression) => constant(expression) === true }
    const copy = (query: Select, columns: string[], conflict: string | undefined) => {
      for (const arm of armsOf(query, here)) {
        if (arm.tables.length === 0 && arm.outputs.length === 0) continue
        operations.push({ number, table, does: "copy", arm, columns, conflict })
        copied(table, columns, arm)
      }
    }
    if (node.type === "CreateTableStmt" && node.body.type === "AsSelectCreateTableBody") {
      copy(node.body.select, columnsOf(table).map(folded), undefined)
    }
    if (node.type === "AlterTableStmt" && node.body.type === "RenameColumnAlterTableBody") {
      const tableOrigins = origins.get(table)
      const [oldName, is] = [folded(node.body.old.text), folded(node.body.new.text)]
      const sources = tableOrigins?.get(oldName)
      tableOrigins?.delete(oldName)
      if (sources !== undefined) tableOrigins?.set(is, sources)
    }
    if (node.type === "InsertStmt" && node.body.type === "SelectInsertBody") {
      const columnsInOrder = "SELECT name FROM temp.pragma_table_xinfo(?) WHERE hidden = 0"
      const everyColumn = scratch.texts(columnsInOrder, table.name)
      const columns = (node.columns?.map(({ text }) => text) ?? everyColumn).map(folded)
      const { upsert, select } = node.body
      const isUpdating = upsert?.doClause.type === "SetUpsertDo"
      const conflict = upsert === undefined ? node.orConflict : isUpdating ? "Update" : "Ignore"
      const isReplacing =
        conflict === "Replace" || conflict === "Update" || replacesRows(scratch, table.name)
      if (isReplacing) operations.push({ number, table, does: "replace" })
      const query = { ...select, with: select.with ?? node.with }
      copy(query, columns, conflict ?? (isReplacing ? "Replace" : undefined))
    }
    if (node.type === "UpdateStmt") {
      const isJoined = node.from !== undefined
      const sets = setsOf(table, node)
      operations.push({ number, table, does: "update", sets, where: node.whereClause, isJoined })
      if (node.orConflict === "Replace") operations.push({ number, table, does: "replace" })
      // Filling a new column from an existing column, as after ADD COLUMN, is a copy.
      for (const { column, output } of sets) {
        if (originsOf({ table, column }).length > 0 || isJoined) continue
        copied(table, [column], { outputs: [output], tables: [table], limit: undefined })
      }
    }
    if (node.type === "DeleteStmt") {
      const { whereClause, limit } = node
      const holds = whereClause === undefined || constant(whereClause)
      const where = holds === true ? undefined : whereClause
      const isLimited = limit !== undefined
      if (holds !== false) operations.push({ number, table, does: "delete", where, isLimited })
    }
  }
  scratch.exec("PRAGMA defer_foreign_keys = ON")
  const { steps } = runFile(scratch, statements, { goOn: true, before: note, after: follow })
  tables.refresh()
  const analysis = {
    own: names,
    steps: statements.flatMap((statement, index): Step[] => {
      const ran = steps[index]
      return ran === undefined ? [] : [{ ...statement, ...ran }]
    }),
    before,
    after: readSchema(scratch),
    objects,
    operations,
    tables,
    former: originalNames,
    origins: (table: LiveTable, column: string) => originsOf({ table, column: folded(column) }),
    written,
    reach: reach.end(steps, names),
  }
  return {
    ...analysis,
    lostParts: lostPartsOf(database, scratch, analysis),
    ...compareSchemas(database, scratch),
  }
}

/** Finds the columns that triggers of a statement write, and the tables whose rows they delete. */
function firedBy(
  scratch: ScratchDatabase,
  { byTriggers, writes, names }: StatementEffect,
): { name: string; column: string | undefined }[] {
  if (byTriggers.length === 0) return []
  const sources = [writes?.table ?? "", ...names]
  return readDefinitions(scratch)
    .filter(({ type, table }) => type === "trigger" && sources.some((on) => isSameName(on, table)))
    .flatMap(({ sql }) => {
      const parsed = parseStmt(sql)
      if (parsed.status !== "ok" || parsed.root.type !== "CreateTriggerStmt") return []
      return parsed.root.commands.flatMap((command): ReturnType<typeof firedBy> => {
        if (command.type !== "DeleteTriggerCmd" && command.type !== "UpdateTriggerCmd") return []
        const name = command.tblName.objName.text
        if (command.type === "DeleteTriggerCmd") return [{ name, column: undefined }]
        return command.sets.flatMap(({ colNames }) =>
          colNames.map(({ text }) => ({ name, column: text })),
        )
      })
    })
}

type BareAnalysis = Omit<Analysis, "lostParts" | "breaks" | "tightens">

function lostPartsOf(
  database: ScratchDatabase,
  scratch: ScratchDatabase,
  analysis: BareAnalysis,
): LostPart[] {
  const { before, objects, tables, steps, reach, own } = analysis
  const mentioned = steps.flatMap(({ effect }) => [
    ...(effect?.names ?? []),
    ...(effect?.drops ?? []),
  ])
  const touched = new Set([...reach.touched, ...reach.taken, ...mentioned].map(folded))
  const meant = before.filter(({ name }) => touched.has(folded(name)) && !isOwnTable(name, own))
  const destinations = new Map(
    meant.map((table) => [folded(table.name), destinationsOf(analysis, table, [])[0]]),
  )
  const nameNow = (table: string) => {
    // A foreign key may reference a table that does not exist.
    if (!objects.some(({ name }) => isSameName(name, table))) return undefined
    const tableBefore = findTable(before, table)
    if (tableBefore === undefined || !destinations.has(folded(table))) return table
    const destination = destinations.get(folded(table))
    const stays = tables.findByName(table) ?? tables.findByOriginalName(table)
    return stays !== undefined && !stays.dropped && destination !== undefined
      ? destination.table.name
      : undefined
  }
  const lost = lostParts({
    before: partsOf(readParts(database), destinations.keys()),
    after: readParts(scratch),
    nameNow,
    columnNow: (table, column) => {
      const destination = destinations.get(folded(table))
      if (destination === undefined) return findTable(analysis.after, table) && column
      return [...destination.columns].find(([oldName]) => isSameName(oldName, column))?.[1]
    },
  })
  const dropped = steps.flatMap(({ effect }) => effect?.dropsObjects ?? [])
  const brokenBefore = new Set(brokenParts(database).map(({ name }) => name))
  const broken = brokenParts(scratch).filter(({ name }) => !brokenBefore.has(name))
  const at = (part: Part) => {
    const drops = steps.findLastIndex(
      ({ effect }) =>
        effect?.drops.some((drop) => isSameName(drop, part.table)) === true ||
        effect?.dropsObjects.some((dropsObject) => isSameName(dropsObject, part.name)) === true,
    )
    const naming = steps.findLastIndex(({ effect }) =>
      effect?.names.some((mention) => isSameName(mention, part.table)),
    )
    return (drops >= 0 ? drops : Math.max(naming, 0)) + 1
  }
  // A rebuilt table that keeps AUTOINCREMENT continues after its last number: the guard copies that number.
  const counting = meant.flatMap((table): LostPart[] => {
    const now = nameNow(table.name)
    const live = tables.findByOriginalName(table.name)
    if (!isCounting(database, table.name) || now === undefined) return []
    const { name } = table
    const part: Part = { kind: "sequence", name, table: name, columns: [], definition: "" }
    const isLost = !isCounting(scratch, now)
    if (!isLost && live?.dropped !== true) return []
    return [{ part, statement: at(part), broken: false, isSaid: !isLost }]
  })
  return [
    ...lost.map((part): LostPart => {
      const isIndex = part.kind !== "trigger" && part.kind !== "view"
      // The author wrote the wider key explicitly, like a DROP INDEX.
      const isWidened =
        part.kind === "unique" && part.now !== undefined && isWithin(part.definition, part.now)
      const isDropped = isIndex && dropped.some((name) => isSameName(name, part.name))
      const isSaid = isDropped || isWidened
      return { part, statement: at(part), broken: false, isSaid }
    }),
    ...broken.map((part): LostPart => ({ part, statement: at(part), broken: true, isSaid: false })),
    ...counting,
  ]
}
