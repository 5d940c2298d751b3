import { declaredName } from "../files/declarations.ts"
import { quoteName } from "../schema/schema.ts"
import { countMissing, countRepeated, isStrict, lineFor } from "./compare.ts"
import { cellsOf, type Guarding, isCounted, pairingOf } from "./snapshot.ts"

/** Tables whose rows come together in one. */
export function mergedTables(guarding: Guarding[]): Guarding[][] {
  const single = guarding.filter(
    (each) =>
      each.guarded.destinations.length === 1 && each.guarded.few === undefined && !isCounted(each),
  )
  const groups = Map.groupBy(single, ({ guarded }) => guarded.destinations[0]?.live)
  return [...groups.values()].filter((group) => {
    const [first] = group
    const live = first?.guarded.destinations[0]?.live
    // Rows of one are written into those of another on purpose.
    const isJoined = first?.analysis.operations.some(
      (operation) =>
        operation.does === "copy" && operation.table === live && operation.conflict === "Update",
    )
    return group.length > 1 && isJoined !== true
  })
}

/** Of rows that are alike in two tables each has to be there. */
export function mergeDifferences(group: Guarding[]): string[] {
  const [first] = group
  const destination = first?.guarded.destinations[0]
  if (first === undefined || destination === undefined) return []
  const begin = first.file.names.declarations
  const names = group.map(({ guarded }) => guarded.table.name)
  const name = declaredName(names.at(-1) ?? "")
  const bound = group.reduce((sum, { guarded }) => sum + guarded.bound, 0)
  const now = `(SELECT count(*) FROM ${quoteName(destination.table.name)})`
  const countBefore = group.map(({ snapshot }) => `(SELECT count(*) FROM ${snapshot})`).join(" + ")
  const tableNames = names.join(" and ")
  const loses = (count: string, text: string) =>
    lineFor(begin, `loses ${name}`, bound, [count, text])
  const missing = ` of the rows of ${tableNames} are missing in ${destination.table.name}`
  const fewer = loses(`max(0, ${countBefore} - ${now})`, missing)
  const cells = group.map((each) =>
    cellsOf(each, each.guarded.destinations[0] ?? destination).filter(isStrict),
  )
  const common = (cells[0] ?? []).filter(({ is }) =>
    cells.every((tableCells) => tableCells.some((cell) => cell.is === is)),
  )
  if (common.length === 0) return [fewer]
  const columns = common.map((_, index) => `k${index}`)
  const snapshots = group.map(({ snapshot }, index) => {
    const list = common.map(
      ({ is }, at) => `${cells[index]?.find((cell) => cell.is === is)?.was} AS k${at}`,
    )
    return `(SELECT ${list.join(", ")} FROM ${snapshot})`
  })
  const places = new Map(common.map(({ is }, at) => [`k${at}`, is]))
  const targets = [{ table: destination.table.name, columns: places }]
  const rows = group.reduce((sum, each) => sum + each.rows, 0)
  const unkeyed = { snapshots, columns, targets, rows, isOrdered: false, isNumbered: false }
  const keyed = group.flatMap((each) => {
    const pairing = pairingOf(
      each.guarded,
      each.guarded.destinations[0] ?? destination,
      each.declarations,
    )
    if (pairing === undefined) return []
    const keys =
      pairing.by === "number" ? [] : pairing.by.toSorted(([, a], [, b]) => (a < b ? -1 : 1))
    return [keys.map(([as]) => as)]
  })
  if (keyed.length > 0) {
    // Rows with keys are compared one by one, and two of one key find the same row.
    const keys = keyed.map(
      (keyColumns, index) => `SELECT ${keyColumns.join(", ")} FROM ${group[index]?.snapshot}`,
    )
    const isAlike =
      keyed.length === group.length && keyed.every((keyColumns) => keyColumns.length > 0)
    const union = keys.reduce((left, right) => `SELECT * FROM (${left}) UNION ${right}`)
    const twins = `${countBefore} - (SELECT count(*) FROM (${union}))`
    const alike = loses(twins, ` rows of ${tableNames} have a key that another one has, too`)
    return isAlike ? [fewer, alike] : [fewer]
  }
  const repeats = group.reduce((sum, { guarded }) => sum + guarded.repeats, 0)
  const repeatedText = ` rows of ${tableNames} are there more often than before`
  return [
    loses(
      countMissing(unkeyed),
      ` of the rows of ${tableNames} differ or are missing in ${destination.table.name}`,
    ),
    lineFor(begin, `repeats ${name}`, repeats, [countRepeated(unkeyed), repeatedText]),
  ]
}
