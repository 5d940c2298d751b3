import type { Expr, Stmt } from "sqlite3-parser"

import { type Declaration, declaredName } from "../files/declarations.ts"
import { namedRows } from "../guard/named-rows.ts"
import { type Deed, formerName, type LostPart, type Reading } from "../reading/file-reading.ts"
import { heldColumns, type Home, homesOf } from "../reading/homes.ts"
import { parseScript } from "../reading/parsed-script.ts"
import { columnOf } from "../reading/syntax.ts"
import { movedDistance, movedPrefix } from "../safe-rebuild/moved-keys.ts"
import type { LiveTable } from "../schema/live-tables.ts"
import { findTable, isRowid, isSameName, type Table } from "../schema/schema.ts"
import { folded } from "../sql/folded.ts"

/** What a file may take or change of what a database holds, by its statements alone. */
export type Loss = {
  kind: "row" | "repeat" | "value" | "change" | "link" | "part"
  table: string
  column?: string | undefined
  statement: number
  message: string
  /** What to do instead. */
  instead: string
  /** Lines that declare it, without their reasons; none where nothing does. */
  lines: string[]
  /** Whether it comes true as soon as there is a row, or a value. */
  isCertain: boolean
  /** Whether foreign keys or triggers do it. */
  byReference?: boolean
  part?: LostPart
  /** Columns of a table that goes, which may all be declared one by one. */
  columns?: string[]
  /** Whether earlier files have written the rows that the statement names. */
  isSeeded?: boolean
}

/** A script before this one, in which a column may have been copied. */
type Earlier = { sql: string }

/** @param isSeeded whether a condition on a table finds a row that earlier files have written */
export function lossesOf(
  reading: Reading,
  {
    earlier = [],
    isSeeded = () => false,
  }: { earlier?: Earlier[]; isSeeded?: (table: Table, condition: string) => boolean } = {},
): Loss[] {
  const context = { reading, earlier, isSeeded }
  const found = [
    ...reading.before.flatMap((table) => {
      const { taken, repeated } = reading.reach
      const isMeant = [...taken, ...repeated].some((name) => isSameName(name, table.name))
      return isMeant ? lossesOfTable(context, table) : []
    }),
    ...alongLosses(context),
    ...reading.lostParts.map(partLoss),
  ]
  const seen = new Set<string>()
  return found.filter((loss) => {
    const key = [
      loss.kind,
      loss.table,
      loss.column,
      loss.part?.part.name,
      loss.part?.part.kind,
    ].join("\n")
    const isNew = !seen.has(key)
    seen.add(key)
    return isNew
  })
}

type Context = {
  reading: Reading
  earlier: Earlier[]
  isSeeded: (table: Table, condition: string) => boolean
}

/** Tables through which rows of one go, and the copies on the way. */
function carriersOf({ deeds }: Reading, own: LiveTable | undefined) {
  const carriers = new Set(own === undefined ? [] : [own])
  const copies = deeds.flatMap((deed) => {
    if (deed.does !== "copy" || !deed.arm.tables.some((table) => carriers.has(table))) return []
    carriers.add(deed.table)
    return [deed]
  })
  return { carriers, copies }
}

function lossesOfTable(context: Context, table: Table): Loss[] {
  const { reading } = context
  const { deeds, tables } = reading
  const own = tables.first(table.name)
  const homes = homesOf(reading, table, [])
  const { copies } = carriersOf(reading, own)
  const name = declaredName(table.name)
  const isGone = (live: LiveTable) => live.dropped || !homes.some((home) => home.live === live)
  const lastCopy = (live: LiveTable) =>
    copies.findLast(({ arm }) => arm.tables.includes(live))?.number ?? Infinity
  const rows = (statement: number, message: string, more: Partial<Loss> = {}): Loss => {
    const instead = "Copy every row whole before, or leave the table."
    return {
      kind: "row",
      table: table.name,
      statement,
      message,
      instead,
      lines: [`loses ${name}, at most N rows`],
      isCertain: false,
      ...more,
    }
  }
  const losses: Loss[] = []
  const ownMoved = own !== undefined && !own.dropped && tables.named(table.name) !== own
  const drop = deeds.find((deed) => deed.does === "drop" && deed.table === own)
  const copied = copies.filter((deed) => homes.some(({ live }) => live === deed.table))
  const isHome = homes.some(({ same }) => same)
  if (!isHome && copied.length === 0) {
    const at = drop?.number ?? renamedAt(reading, table.name)
    const line = ownMoved
      ? `moves ${name} to ${declaredName(own.name)}`
      : `loses ${name}, at most N rows`
    losses.push(
      rows(
        at,
        `rows of ${table.name} are gone: no statement copies them to a table of its name or of its own`,
        { isCertain: true, lines: [line], columns: heldColumns(table, []) },
      ),
    )
  }
  if (!isHome) {
    for (const { number, arm, conflict, table: into } of copies) {
      const isOnTheWay = into.dropped || homes.some(({ live }) => live === into)
      const why = arm.limit ?? (conflict === undefined ? undefined : `OR ${conflict.toUpperCase()}`)
      // What met all rules of before meets those of now, if none is new.
      const isIdle =
        conflict === "Ignore" &&
        arm.limit === undefined &&
        formerName(reading, into) === undefined &&
        homes[0]?.table.name === table.name &&
        !reading.tightens.some((one) => isSameName(one.table, table.name))
      if (!isOnTheWay || why === undefined || isIdle) continue
      const isMeant = why === "its condition" || why === "LIMIT"
      losses.push(
        rows(
          number,
          `the copy may leave rows of ${table.name} behind, or take them more than once, by ${why}`,
          {
            instead: "Copy all of them, or say that none stays behind; the request compares that.",
            lines: [`loses ${name}, at most ${isMeant ? "N" : "0"} rows`],
          },
        ),
      )
    }
  }
  for (const deed of deeds) {
    const isOf =
      deed.table === own ||
      homes.some(
        (home) => home.live === deed.table && formerName(reading, deed.table) === undefined,
      )
    if (!isOf) continue
    const isLate = isGone(deed.table) && deed.number > lastCopy(deed.table)
    if (isLate) continue
    if (deed.does === "delete") {
      const { where } = deed
      if (isPutBack(reading, table, deed.number)) continue
      const seeded = isNamedSeed(context, table, deed)
      losses.push(
        rows(deed.number, `a DELETE takes rows of ${table.name} for good`, {
          isCertain: where === undefined && !deed.isLimited,
          isSeeded: seeded,
        }),
      )
    }
    if (deed.does === "replace") losses.push(...replaced(context, table, deed))
    if (deed.does === "update") losses.push(...updated(context, table, deed))
  }
  if (homes.length > 0) losses.push(...columnLosses(context, table, { homes, copies: copied }))
  if (reading.reach.repeated.includes(table.name)) {
    const key =
      table.primaryKey.length === 0 || table.columns.some((one) => isRowid(table, one.name))
    const at = deeds.find((deed) => deed.does === "copy" && deed.table === own)?.number ?? 1
    if (key) {
      losses.push({
        kind: "repeat",
        table: table.name,
        statement: at,
        message: `rows of ${table.name} may be added again that are there`,
        instead: "Insert only what is not there yet.",
        lines: [`repeats ${name}, at most N rows`],
        isCertain: false,
      })
    }
  }
  return losses
}

/** Whether the rows that a table loses at a statement were copied whole before, and come back after it. */
function isPutBack(reading: Reading, table: Table, at: number): boolean {
  const own = reading.tables.first(table.name)
  const { copies } = carriersOf(reading, own)
  const saved = copies.filter(
    ({ number, arm, table: into }) =>
      number < at &&
      arm.limit === undefined &&
      own !== undefined &&
      arm.tables.includes(own) &&
      into !== own,
  )
  return copies.some(
    ({ number, arm, table: into, conflict }) =>
      number > at &&
      arm.limit === undefined &&
      conflict === undefined &&
      into === own &&
      saved.some((one) => arm.tables.includes(one.table)),
  )
}

function renamedAt({ steps }: Reading, table: string): number {
  const at = steps.findIndex(
    ({ node }) => node?.type === "AlterTableStmt" && isSameName(node.tblName.objName.text, table),
  )
  return Math.max(at, 0) + 1
}

function isNamedSeed({ reading, isSeeded }: Context, table: Table, deed: Deed): boolean {
  const step = reading.steps[deed.number - 1]
  if (step === undefined || reading.tables.first(table.name) !== deed.table) return false
  const condition = namedRows(table, [step])
  return condition !== undefined && condition !== "0" && isSeeded(table, condition)
}

function valueLoss(table: Table, column: string, statement: number, more: Partial<Loss>): Loss {
  const name = declaredName(table.name, column)
  return {
    kind: "value",
    table: table.name,
    column,
    statement,
    message: `${table.name}.${column} loses its values`,
    instead: "Keep its values in a column.",
    lines: [`loses ${name}`],
    isCertain: false,
    ...more,
  }
}

function isReference({ foreignKeys }: Table, column: string): boolean {
  return foreignKeys.some(({ columns }) => columns.some((one) => isSameName(one, column)))
}

function columnNameOf(table: Table, column: string): string {
  return table.columns.find(({ name }) => isSameName(name, column))?.name ?? column
}

function updated(context: Context, table: Table, deed: Extract<Deed, { does: "update" }>): Loss[] {
  const { reading } = context
  return deed.sets.flatMap(({ column, output, origins }): Loss[] => {
    const [own] = origins.filter((one) => formerName(reading, one.table) === table.name)
    if (own === undefined) return []
    const name = columnNameOf(table, own.column)
    const isOwn =
      output.reads.length > 0 &&
      output.reads.every((one) => one.table === deed.table && one.column === column)
    if (isOwn && (output.value === "same" || output.value === "filled")) return []
    if (fills(deed.where, column) || isTakenBack(reading, deed.table, column)) return []
    const isAll = deed.where === undefined && !deed.isJoined
    const isSeeded = isNamedSeed(context, table, deed)
    const common = { isCertain: isAll, isSeeded }
    if (output.value === "null") {
      const isLink = isReference(table, name)
      const line = `${declaredName(table.name, name)}, at most N rows`
      return [
        isLink
          ? valueLoss(table, name, deed.number, {
              ...common,
              kind: "link",
              message: `${table.name}.${name} is emptied: what refers to another row refers to none`,
              lines: [`empties ${line}`],
            })
          : valueLoss(table, name, deed.number, {
              ...common,
              message: `${table.name}.${name} is emptied`,
            }),
      ]
    }
    if (output.value === "literal" && isAll) {
      return [
        valueLoss(table, name, deed.number, {
          ...common,
          message: `all values of ${table.name}.${name} become one`,
        }),
      ]
    }
    const instead = `Fill only what is NULL (WHERE ${name} IS NULL), or write to a new column.`
    return [
      valueLoss(table, name, deed.number, {
        ...common,
        isCertain: false,
        kind: "change",
        message: `${table.name}.${name} gets other values`,
        instead,
        lines: [`changes ${declaredName(table.name, name)}`],
      }),
    ]
  })
}

/** Whether a condition holds only where a column is NULL. */
function fills(where: Expr | undefined, column: string): boolean {
  if (where?.type === "ParenthesizedExpr" && where.exprs.length === 1) {
    return fills(where.exprs[0], column)
  }
  if (where?.type === "BinaryExpr" && where.op === "And") {
    return fills(where.left, column) || fills(where.right, column)
  }
  if (where?.type === "IsNullExpr") return columnOf(where.expr) === column
  return (
    where?.type === "BinaryExpr" &&
    where.op === "Is" &&
    where.right.type === "NullLiteral" &&
    columnOf(where.left) === column
  )
}

/** Rows that are in the way of others, which an INSERT or UPDATE overwrites or deletes. */
function replaced(context: Context, table: Table, deed: Deed): Loss[] {
  const { reading } = context
  const node = reading.steps[deed.number - 1]?.node
  const isSeeded = isNamedSeed(context, table, deed)
  const clause =
    node?.type === "InsertStmt" && node.body.type === "SelectInsertBody"
      ? node.body.upsert?.doClause
      : undefined
  if (clause?.type === "SetUpsertDo") {
    return clause.sets.flatMap(({ colNames, expr }) =>
      colNames.flatMap(({ text }) => {
        const name = columnNameOf(table, text)
        if (table.primaryKey.some((key) => isSameName(key, name))) return []
        const own = columnOf(expr)
        if (own !== undefined && expr.type === "Id" && isSameName(own, text)) return []
        const line =
          expr.type === "NullLiteral"
            ? `loses ${declaredName(table.name, name)}`
            : `changes ${declaredName(table.name, name)}`
        return [
          valueLoss(table, name, deed.number, {
            kind: expr.type === "NullLiteral" ? "value" : "change",
            isSeeded,
            message: `${table.name}.${name} is overwritten in rows that are there`,
            instead: "DO NOTHING leaves them as they are.",
            lines: [line],
          }),
        ]
      }),
    )
  }
  const given =
    node?.type === "InsertStmt" ? node.columns?.map(({ text }) => folded(text)) : undefined
  const others = table.columns.filter(
    ({ name, generated, inPrimaryKey }) => !generated && !inPrimaryKey && name !== "",
  )
  const columns = node?.type === "InsertStmt" ? others : []
  const cells = columns.map(({ name }) => {
    const isGiven = given === undefined || given.includes(folded(name))
    const line = `${isGiven ? "changes" : "loses"} ${declaredName(table.name, name)}`
    return valueLoss(table, name, deed.number, {
      kind: isGiven ? "change" : "value",
      message: `${table.name}.${name} is replaced in rows that are there`,
      instead: "INSERT OR IGNORE leaves them as they are.",
      lines: [line],
      isSeeded,
    })
  })
  const isRowToo =
    table.uniques.length > 1 || node?.type !== "InsertStmt" || table.uniques.length === 0
  const row: Loss = {
    kind: "row",
    table: table.name,
    statement: deed.number,
    message: `rows of ${table.name} that are in the way are deleted`,
    instead: "Say in words which rows go (DELETE FROM).",
    lines: [`loses ${declaredName(table.name)}, at most N rows`],
    isCertain: false,
    isSeeded,
  }
  return [...cells, ...(isRowToo ? [row] : [])]
}

type Kept = { homes: Home[]; copies: Extract<Deed, { does: "copy" }>[] }

/** Columns that are not where they were, or not with the same values. */
function columnLosses(context: Context, table: Table, { homes, copies }: Kept): Loss[] {
  const { reading } = context
  const { deeds, tables, steps } = reading
  const own = tables.first(table.name)
  const isFrom = (live: LiveTable, column: string, was: string) =>
    reading.origins(live, column).some((one) => one.table === own && isSameName(one.column, was))
  const isLost = copies.length === 0 && homes.every(({ same }) => !same)
  if (isLost) return []
  return heldColumns(table, homes).flatMap((name): Loss[] => {
    const places = homes.filter((home) => home.columns.has(name))
    const kept = places.filter((home) => isFrom(home.live, home.columns.get(name) ?? "", name))
    const [home] = kept
    if (home !== undefined) {
      const type = home.same ? undefined : typeChange(table, name, home)
      if (type === undefined) return []
      return [
        valueLoss(table, name, copies[0]?.number ?? 1, {
          kind: "change",
          message: `${table.name}.${name} gets the type ${type}, which may convert its values`,
          instead: "Keep its type.",
          lines: [`changes ${declaredName(table.name, name)}`],
        }),
      ]
    }
    const drop = deeds.find(
      (deed) =>
        deed.does === "drop column" &&
        deed.origins.some((one) => one.table === own && isSameName(one.column, name)),
    )
    const elsewhere = reading.after.flatMap((now) => {
      const live = tables.named(now.name)
      return now.columns.flatMap((one) =>
        live !== undefined && isFrom(live, one.name, name) ? declaredName(now.name, one.name) : [],
      )
    })
    const [to] = [...elsewhere, ...copiedBefore(context.earlier, table, name, reading)]
    const moves = to === undefined ? undefined : `moves ${declaredName(table.name, name)} to ${to}`
    const written = copies.flatMap(({ arm, columns, table: into, number }) => {
      const column = places.find(({ live }) => live === into)?.columns.get(name)
      const output = column === undefined ? undefined : arm.outputs[columns.indexOf(folded(column))]
      return output === undefined ? [] : [{ output, number }]
    })
    const [made] = written
    const at =
      drop?.number ??
      made?.number ??
      copies[0]?.number ??
      Math.max(
        steps.findIndex(({ node }) => node?.type === "AlterTableStmt"),
        0,
      ) + 1
    const isMade =
      made !== undefined &&
      (made.output.value === "other" ||
        made.output.value === "same" ||
        made.output.value === "filled")
    if (isMade && moves === undefined) {
      return [
        valueLoss(table, name, at, {
          kind: "change",
          message: `${table.name}.${name} gets other values`,
          instead: "Copy the column as it is.",
          lines: [`changes ${declaredName(table.name, name)}`],
        }),
      ]
    }
    const instead =
      moves === undefined
        ? `Name ${name} in both lists of the copy, or keep its values in another column.`
        : `Its values are in ${to}: say so, and the request compares them there.`
    const lines = [moves ?? `loses ${declaredName(table.name, name)}`]
    return [
      valueLoss(table, name, at, {
        isCertain: places.length === 0 && moves === undefined,
        message:
          places.length === 0
            ? `${table.name}.${name} goes with its values`
            : `${table.name}.${name} loses its values`,
        instead,
        lines,
      }),
    ]
  })
}

/** Where an earlier file has copied a column of a table that stays. */
function copiedBefore(
  earlier: Earlier[],
  table: Table,
  column: string,
  { after }: Reading,
): string[] {
  return earlier.flatMap(({ sql }) => {
    if (!folded(sql).includes(folded(column))) return []
    return parseScript(sql).flatMap(({ node }) => {
      if (node?.type !== "UpdateStmt" || !isSameName(node.tblName.objName.text, table.name)) {
        return []
      }
      return node.sets.flatMap(({ colNames: [name], expr }) => {
        const now = findTable(after, table.name)?.columns.find((one) =>
          isSameName(one.name, name?.text ?? ""),
        )
        const isCopy =
          columnOf(expr) === folded(column) && now !== undefined && !isSameName(now.name, column)
        return isCopy ? [declaredName(table.name, now.name)] : []
      })
    })
  })
}

/** The type of a column that may convert what the column of before held; undefined where it cannot. */
function typeChange(table: Table, name: string, home: Home): string | undefined {
  const was = table.columns.find((one) => one.name === name)
  const is = home.table.columns.find((one) => one.name === home.columns.get(name))
  if (was === undefined || is === undefined) return undefined
  const [from, to] = [affinityOf(was.type, table.strict), affinityOf(is.type, home.table.strict)]
  const isSafe =
    from === to || to === "blob" || (from !== "text" && from !== "blob" && to !== "text")
  return isSafe ? undefined : is.type || "none"
}

/** sqlite.org/datatype3.html#determination_of_column_affinity */
function affinityOf(
  type: string,
  strict: boolean,
): "integer" | "text" | "blob" | "real" | "numeric" {
  if (/INT/.test(type)) return "integer"
  if (/CHAR|CLOB|TEXT/.test(type)) return "text"
  if (type === "" || /BLOB/.test(type) || (strict && type === "ANY")) return "blob"
  return /REAL|FLOA|DOUB/.test(type) ? "real" : "numeric"
}

/** Rows that foreign keys and triggers take or change along. */
function alongLosses(context: Context): Loss[] {
  const { reading } = context
  const { steps, before, deeds, tables, own: names } = reading
  return steps.flatMap((step): Loss[] => {
    const { effect, number } = step
    if (effect === undefined) return []
    const along = triggerLosses(context, step)
    const parent = effect.drops[0] ?? effect.writes?.table
    const live = deeds.find((deed) => deed.number === number && deed.does === "drop")?.table
    const isDrop = effect.drops.length > 0
    const parentTable = before.find(({ name }) =>
      live === undefined ? isSameName(name, parent ?? "") : tables.first(name) === live,
    )
    if (parentTable === undefined) return along
    const isRebuilt = homesOf(reading, parentTable, []).length > 0
    const isFreed = (key: Table["foreignKeys"][number]) =>
      deeds.some(
        (deed) =>
          deed.number < number &&
          deed.does === "update" &&
          deed.where === undefined &&
          deed.table === tables.first(parentTable.name) &&
          key.onUpdate !== "CASCADE" &&
          deed.sets.some(({ column }) => key.parentColumns.some((one) => isSameName(one, column))),
      ) ||
      deeds.some(
        (deed) =>
          deed.number < number &&
          deed.does === "update" &&
          deed.where === undefined &&
          key.onUpdate === "CASCADE" &&
          deed.table === tables.first(parentTable.name),
      )
    const fix = isRebuilt
      ? `Move the keys of the table away before it is dropped, so that no row refers to it: \`${names.command} fix FILE\` writes that.`
      : "Rebuild what refers to it first, without the reference, or delete its rows in words (DELETE FROM)."
    const liveOf = (name: string) => namedAt(reading, number, name)
    const childrenOf = (parentName: string) =>
      before.flatMap((child) => {
        const emptied = deeds.some(
          (deed) =>
            deed.number < number &&
            deed.does === "delete" &&
            deed.where === undefined &&
            deed.table === tables.first(child.name),
        )
        const dropped = deeds.some(
          (deed) =>
            deed.number < number && deed.does === "drop" && deed.table === tables.first(child.name),
        )
        const isSelf = child.name === parentTable.name
        const isFollowing = effect.follows.some((one) => isSameName(one, child.name))
        const isGone = dropped && !isFollowing && tables.named(child.name) === undefined
        if (emptied || isGone || (isSelf && isDrop) || isPutBack(reading, child, number)) return []
        return child.foreignKeys
          .filter((key) => isSameName(key.parent, parentName))
          .map((key) => ({ child, key }))
      })
    const children = childrenOf(parentTable.name)
    const byDelete =
      isDrop ||
      effect.writes?.by === "delete" ||
      (effect.writes?.by === "insert" && effect.follows.length > 0)
    // A copy that refers to what is dropped by its name goes with it.
    const copied = effect.follows.flatMap((name): Loss[] => {
      const former =
        isDrop && before.every((one) => one.name !== name)
          ? before.filter((one) =>
              homesOf(reading, one, []).some((home) => home.live === liveOf(name)),
            )
          : []
      return former.map((one) => ({
        kind: "row",
        table: one.name,
        statement: number,
        message: `rows of ${one.name} are deleted from ${name}, which refers to what is dropped`,
        instead: fix,
        byReference: true,
        isCertain: true,
        lines: [`loses ${declaredName(one.name)}, at most N rows`],
      }))
    })
    // What goes with rows that go.
    for (const { child, key } of children) {
      const isNew = childrenOf(child.name).filter(
        (one) => !children.some((known) => known.child === one.child),
      )
      if (byDelete && key.onDelete === "CASCADE") children.push(...isNew)
    }
    return [
      ...children.flatMap(({ child, key }): Loss[] => {
        const followed = effect.follows.some((one) => isSameName(one, child.name))
        const action = byDelete ? key.onDelete : key.onUpdate
        const words = `${key.columns.join(", ")} → ${key.parent} ON ${byDelete ? "DELETE" : "UPDATE"} ${action}`
        const [column = ""] = key.columns
        const common = {
          byReference: true,
          isCertain: isDrop,
          instead: isDrop ? fix : "Say in words what becomes of them before.",
        }
        if (isDrop && isFreed(key)) return []
        if (!followed) {
          const isBlocking = isDrop && /^(?:NO ACTION|RESTRICT)$/.test(key.onDelete)
          if (!isBlocking || isFreed(key)) return []
          return [
            {
              kind: "row",
              table: child.name,
              column: words,
              statement: number,
              message: `fails as soon as rows of ${child.name} refer to ${parentTable.name} (${words})`,
              ...common,
              lines: [],
              isCertain: false,
            },
          ]
        }
        if (action === "CASCADE" && byDelete) {
          return [
            {
              kind: "row",
              table: child.name,
              statement: number,
              message: `rows of ${child.name} are deleted (${words})`,
              ...common,
              lines: [`loses ${declaredName(child.name)}, at most N rows`],
            },
          ]
        }
        const line =
          action === "CASCADE"
            ? `changes ${declaredName(child.name, column)}`
            : `empties ${declaredName(child.name, column)}, at most N rows`
        const isBack =
          isTakenBack(reading, tables.first(child.name), column) ||
          isTakenBack(reading, tables.first(parentTable.name), key.parentColumns[0] ?? "")
        if (action === "NO ACTION" || action === "RESTRICT" || isBack) return []
        const kind = action === "CASCADE" ? ("change" as const) : ("link" as const)
        return [
          {
            ...valueLoss(child, column, number, {
              kind,
              message: `${child.name}.${column} is ${kind === "change" ? "changed" : "emptied"} (${words})`,
            }),
            ...common,
            lines: [line],
          },
        ]
      }),
      ...copied,
      ...along,
    ]
  })
}

/** The table that has a name when a statement drops another one. */
function namedAt({ deeds }: Reading, number: number, name: string): LiveTable | undefined {
  const drop = deeds.find((deed) => deed.does === "drop" && deed.number === number)
  const names = drop?.does === "drop" ? [...drop.names] : []
  return names.find(([, now]) => isSameName(now, name))?.[0]
}

/** A file that rebuilds a parent as `fix` writes it takes back what follows the keys that it moves away. */
function isTakenBack(
  { deeds, steps }: Reading,
  table: LiveTable | undefined,
  column: string,
): boolean {
  const isMoved = steps.some(
    ({ sql }) => sql.includes(`'${movedPrefix}' ||`) || sql.includes(`- ${movedDistance}`),
  )
  return (
    isMoved &&
    deeds.some((deed) => {
      const back =
        deed.does === "update" &&
        deed.table === table &&
        deed.sets.some((set) => isSameName(set.column, column))
      const sql = steps[deed.number - 1]?.sql ?? ""
      return (
        back && (sql.includes(`, ${movedPrefix.length + 1})`) || sql.includes(`+ ${movedDistance}`))
      )
    })
  )
}

/** What triggers delete or change that a statement sets off. */
function triggerLosses({ reading }: Context, { effect, number }: Reading["steps"][number]): Loss[] {
  if (effect === undefined || effect.byTriggers.length === 0) return []
  const triggers = [
    ...reading.objects.map(({ sql }) => sql),
    ...reading.steps.slice(0, number - 1).map(({ sql }) => sql),
  ].filter((sql) => /^\s*create\s+(?:temp\w*\s+)?trigger/i.test(sql))
  const commands = triggers.flatMap((sql) => {
    const [one] = parseScript(`${sql.replace(/;\s*$/, "")};`)
    const node: Stmt | undefined = one?.node
    const on = node?.type === "CreateTriggerStmt" ? node.tblName.objName.text : ""
    const isSetOff = [effect.writes?.table ?? "", ...effect.names].some((name) =>
      isSameName(name, on),
    )
    return node?.type === "CreateTriggerStmt" && isSetOff ? node.commands : []
  })
  return commands.flatMap((command): Loss[] => {
    if (command.type !== "DeleteTriggerCmd" && command.type !== "UpdateTriggerCmd") return []
    const name = command.tblName.objName.text
    const table = findTable(reading.before, name)
    if (table === undefined || !effect.byTriggers.some((one) => isSameName(one, name))) return []
    const common = {
      byReference: true,
      isCertain: false,
      instead: "Drop the trigger before, and make it again afterwards.",
    }
    if (command.type === "DeleteTriggerCmd") {
      return [
        {
          kind: "row",
          table: table.name,
          statement: number,
          message: `rows of ${table.name} may be deleted by a trigger`,
          ...common,
          lines: [`loses ${declaredName(table.name)}, at most N rows`],
        },
      ]
    }
    return command.sets.flatMap(({ colNames }) =>
      colNames.map(({ text }) => {
        const column = columnNameOf(table, text)
        return {
          ...valueLoss(table, column, number, {
            kind: "change",
            message: `${table.name}.${column} may be changed by a trigger`,
            lines: [`changes ${declaredName(table.name, column)}`],
          }),
          ...common,
        }
      }),
    )
  })
}

function partLoss(lost: LostPart): Loss {
  const { part, statement, broken, isSaid } = lost
  const isOther = part.now !== undefined
  const instead =
    part.kind === "sequence"
      ? "Keep what the table counts with."
      : broken
        ? "Create it anew for what the file leaves."
        : `Create it ${isOther ? "as it was" : "again"} after the rebuild.`
  const lines = broken ? [] : [`loses ${part.kind} ${partName(part.name)}`]
  return {
    kind: "part",
    table: part.table,
    statement,
    message: describePart(lost),
    instead,
    lines,
    isCertain: true,
    part: lost,
    isSeeded: isSaid,
  }
}

function partName(name: string): string {
  return /^[^\s.,:"]+\.[^\s.:"]+$/.test(name) ? name : declaredName(name)
}

function describePart({ part, broken, isSaid }: LostPart): string {
  const { kind, name, table, columns, definition, now } = part
  if (broken) return `the ${kind} ${name} no longer works: ${definition}`
  if (kind === "sequence") {
    return isSaid
      ? `AUTOINCREMENT of ${table} starts anew after the largest number that is left; \`apply\` carries the last one over`
      : `the numbers of deleted rows of ${table} are given again: it has no AUTOINCREMENT any more`
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

/** Whether the file says so; the request then holds it to what is declared. */
export function isDeclared(loss: Loss, declarations: Declaration[]): boolean {
  const isEach = loss.columns?.every((name) =>
    declarations.some(
      (one) => "column" in one && isSameName(one.table, loss.table) && isSameName(one.column, name),
    ),
  )
  if (isEach === true && loss.columns !== undefined && loss.columns.length > 0) return true
  return declarations.some((one) => {
    if (one.does === "loses part") {
      const { part } = loss
      return (
        part?.broken === false &&
        one.kind === part.part.kind &&
        isSameName(one.name, part.part.name)
      )
    }
    if (loss.kind === "part" || !isSameName(one.table, loss.table)) return false
    const isAll = one.does === "loses" && one.atMost === Number.MAX_SAFE_INTEGER
    if (loss.kind === "repeat") return one.does === "repeats"
    if (one.does === "moves" || isAll) return true
    if (loss.kind === "row") return one.does === "loses" && loss.lines.length > 0
    return "column" in one && isSameName(one.column, loss.column ?? "")
  })
}
