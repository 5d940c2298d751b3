import { declaredName } from "../files/declarations.ts"
import { quoteName } from "../schema/schema.ts"
import { countMissing, countRepeated, isStrict, lineFor } from "./compare.ts"
import { cellsOf, type Guarding, isCounted, pairingOf } from "./snapshot.ts"

/** Tables whose rows come together in one. */
export function sharedHomes(guarding: Guarding[]): Guarding[][] {
  const single = guarding.filter(
    (each) => each.one.homes.length === 1 && each.one.few === undefined && !isCounted(each),
  )
  const groups = Map.groupBy(single, ({ one }) => one.homes[0]?.live)
  return [...groups.values()].filter((group) => {
    const [first] = group
    const live = first?.one.homes[0]?.live
    // Rows of one are written into those of another on purpose.
    const isJoined = first?.reading.deeds.some(
      (deed) => deed.does === "copy" && deed.table === live && deed.conflict === "Update",
    )
    return group.length > 1 && isJoined !== true
  })
}

/** Of rows that are alike in two tables each has to be there. */
export function togetherOf(some: Guarding[]): string[] {
  const [first] = some
  const home = first?.one.homes[0]
  if (first === undefined || home === undefined) return []
  const begin = first.file.names.declarations
  const names = some.map(({ one }) => one.table.name)
  const name = declaredName(names.at(-1) ?? "")
  const bound = some.reduce((sum, { one }) => sum + one.bound, 0)
  const now = `(SELECT count(*) FROM ${quoteName(home.table.name)})`
  const was = some.map(({ kept }) => `(SELECT count(*) FROM ${kept})`).join(" + ")
  const all = names.join(" and ")
  const loses = (count: string, what: string) =>
    lineFor(begin, `loses ${name}`, bound, [count, what])
  const missing = ` of the rows of ${all} are missing in ${home.table.name}`
  const fewer = loses(`max(0, ${was} - ${now})`, missing)
  const cells = some.map((each) => cellsOf(each, each.one.homes[0] ?? home).filter(isStrict))
  const common = (cells[0] ?? []).filter(({ is }) =>
    cells.every((own) => own.some((cell) => cell.is === is)),
  )
  if (common.length === 0) return [fewer]
  const columns = common.map((_, index) => `k${index}`)
  const snapshots = some.map(({ kept }, index) => {
    const list = common.map(
      ({ is }, at) => `${cells[index]?.find((cell) => cell.is === is)?.was} AS k${at}`,
    )
    return `(SELECT ${list.join(", ")} FROM ${kept})`
  })
  const places = new Map(common.map(({ is }, at) => [`k${at}`, is]))
  const targets = [{ table: home.table.name, columns: places }]
  const rows = some.reduce((sum, each) => sum + each.rows, 0)
  const unkeyed = { snapshots, columns, targets, rows, isOrdered: false, isNumbered: false }
  const keyed = some.flatMap((each) => {
    const pairing = pairingOf(each.one, each.one.homes[0] ?? home, each.declarations)
    if (pairing === undefined) return []
    const keys =
      pairing.by === "number"
        ? []
        : pairing.by.toSorted(([, one], [, other]) => (one < other ? -1 : 1))
    return [keys.map(([as]) => as)]
  })
  if (keyed.length > 0) {
    // Rows with keys are compared one by one, and two of one key find the same row.
    const keys = keyed.map((own, index) => `SELECT ${own.join(", ")} FROM ${some[index]?.kept}`)
    const isAlike = keyed.length === some.length && keyed.every((own) => own.length > 0)
    const union = keys.reduce((one, other) => `SELECT * FROM (${one}) UNION ${other}`)
    const twins = `${was} - (SELECT count(*) FROM (${union}))`
    const alike = loses(twins, ` rows of ${all} have a key that another one has, too`)
    return isAlike ? [fewer, alike] : [fewer]
  }
  const repeats = some.reduce((sum, { one }) => sum + one.repeats, 0)
  const more = ` rows of ${all} are there more often than before`
  return [
    loses(
      countMissing(unkeyed),
      ` of the rows of ${all} differ or are missing in ${home.table.name}`,
    ),
    lineFor(begin, `repeats ${name}`, repeats, [countRepeated(unkeyed), more]),
  ]
}
