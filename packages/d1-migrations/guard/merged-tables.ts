import { declaredName } from "../files/declarations.ts"
import { countFewer, countMissing, countRepeated, reportOf, type Rows } from "./compare.ts"
import { isStrict } from "./guarded-tables.ts"
import { type Guarding, isCounted } from "./snapshot.ts"

/** Tables whose rows come together in one. */
export function mergedTables(guarding: Guarding[]): Guarding[][] {
  const single = guarding.filter(
    (each) => each.places.length === 1 && each.few === undefined && !isCounted(each),
  )
  const groups = Map.groupBy(single, ({ places: [place] }) => place?.live)
  return [...groups].flatMap(([live, group]) => {
    // The file writes rows of one into rows of another on purpose.
    const isJoined = group[0]?.analysis.operations.some(
      (operation) =>
        operation.does === "copy" && operation.table === live && operation.conflict === "Update",
    )
    return group.length > 1 && isJoined !== true ? [group] : []
  })
}

/** Reports rows that the merged table lacks: if two tables have equal rows, each has to be there. */
export function mergeDifferences(group: Guarding[]): string[] {
  const places = group.flatMap((each) => each.places)
  const [[first], [target]] = [group, places]
  if (first === undefined || target === undefined) return []
  const begin = first.file.names.declarations
  const names = group.map(({ table }) => table.name)
  const [name, tableNames] = [declaredName(names.at(-1) ?? ""), names.join(" and ")]
  const sum = (numberOf: (each: Guarding) => number) =>
    group.reduce((total, each) => total + numberOf(each), 0)
  const loses = (count: string, text: string) =>
    reportOf(begin, { count, text, does: `loses ${name}`, bound: sum(({ bound }) => bound) })
  const cells = places.map((place) => place.cells.filter(isStrict))
  const common = (cells[0] ?? []).flatMap(({ is }) => {
    const isCommon = cells.every((tableCells) => tableCells.some((cell) => cell.is === is))
    return isCommon ? [is] : []
  })
  const rows: Rows = {
    before: group.map(({ snapshot: from }, index) => {
      const columns = common.flatMap(
        (is) => cells[index]?.find((cell) => cell.is === is)?.was ?? [],
      )
      return { from, columns }
    }),
    after: [{ table: target.table.name, columns: common }],
  }
  const missing = `missing in ${target.table.name}`
  const fewer = loses(countFewer(rows), ` of the rows of ${tableNames} are ${missing}`)
  if (common.length === 0) return [fewer]
  if (places.some(({ pairing }) => pairing !== undefined)) {
    // Rows with keys are compared one by one, and two of one key find the same row.
    const keys = places.map(({ pairing, key }) =>
      pairing === "key" ? key.toSorted((a, b) => (a.is < b.is ? -1 : 1)) : [],
    )
    if (keys.some(({ length }) => length === 0)) return [fewer]
    const selects = keys.map(
      (key, index) =>
        `SELECT ${key.map(({ was }) => was).join(", ")} FROM ${group[index]?.snapshot}`,
    )
    const union = selects.reduce((left, right) => `SELECT * FROM (${left}) UNION ${right}`)
    const counts = group.map(({ snapshot }) => `(SELECT count(*) FROM ${snapshot})`).join(" + ")
    const alike = ` rows of ${tableNames} share their key with another row`
    return [fewer, loses(`${counts} - (SELECT count(*) FROM (${union}))`, alike)]
  }
  return [
    loses(countMissing(rows), ` of the rows of ${tableNames} differ or are ${missing}`),
    reportOf(begin, {
      count: countRepeated(rows),
      text: ` rows of ${tableNames} are there more often than before`,
      does: `repeats ${name}`,
      bound: sum(({ repeats }) => repeats),
    }),
  ]
}
