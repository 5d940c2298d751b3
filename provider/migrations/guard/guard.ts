import type { Classification } from "../classification/classification.ts"
import type { Declaration } from "../declarations.ts"
import type { Migration } from "../migration-files.ts"
import { sidecarTable } from "../own-tables.ts"
import { isSameName, type Table } from "../rehearsal/schema.ts"
import { literal } from "../sql-literal.ts"
import { compareContent } from "./content.ts"
import { countsOf, declaredLoss, recordCounts } from "./counts.ts"
import { compareReferences, mayBreakReferences, recordReferences } from "./references.ts"
import { refuseWhen } from "./refusal-statement.ts"

/** Statements that run in one request with a file, and fail it if it takes what it does not declare. */
export type Guard = {
  before: string[]
  /** By the number of the statement of the file before which they run. */
  within: Map<number, string[]>
  after: string[]
}

type Guarded = {
  file: Migration
  before: Table[]
  classification: Classification
  declarations: Declaration[]
  /** By table, at least of those that are rebuilt. */
  rows: Map<string, number>
}

/** Undefined for a file that only adds. */
export function guardOf(guarded: Guarded): Guard | undefined {
  const { file, classification } = guarded
  const rows = classification.touched.length > 0 ? guardRows(guarded) : undefined
  if (!mayBreakReferences(file)) return rows
  return {
    before: [...(rows?.before ?? []), ...recordReferences(file.name)],
    within: rows?.within ?? new Map(),
    after: [compareReferences(file.name), ...(rows?.after ?? [])],
  }
}

function guardRows(guarded: Guarded): Guard {
  const { file } = guarded
  const counts = countsOf({ ...guarded, file: file.name })
  const bounds = Object.fromEntries(counts.map(({ key, bound }) => [key, bound]))
  const left = counts.flatMap(({ key, after }): [string, string][] =>
    after === undefined ? [] : [[key, after]],
  )
  return {
    before: recordCounts(
      file.name,
      "rows_before",
      counts.map(({ key, before }) => [key, before]),
    ),
    within: contentChecks(guarded),
    after: [...recordCounts(file.name, "rows_after", left), compareCounts(file.name, bounds)],
  }
}

function contentChecks({ classification, declarations, rows }: Guarded): Map<number, string[]> {
  const checks = classification.copies.flatMap((copy) => {
    const changed = declarations.flatMap((one) =>
      (one.does === "changes" || one.does === "loses values") && isSameName(one.table, copy.table)
        ? one.column.toLowerCase()
        : [],
    )
    const bound = declaredLoss(declarations, copy.table)
    const sql = compareContent({ copy, rows: rows.get(copy.table) ?? 0, changed, bound })
    return sql === undefined ? [] : [{ statement: copy.statement, sql }]
  })
  const byStatement = Map.groupBy(checks, ({ statement }) => statement)
  return new Map([...byStatement].map(([number, found]) => [number, found.map(({ sql }) => sql)]))
}

/** Says everything that is missing at once. */
function compareCounts(file: string, bounds: Record<string, number>): string {
  return refuseWhen({
    what: "list",
    from: `(SELECT group_concat(b.key || ' had ' || b.value || ' and would have ' || coalesce(a.value, 0), '; ') AS list
FROM "${sidecarTable}" AS m, json_each(m.rows_before) AS b
LEFT JOIN json_each(m.rows_after) AS a ON a.key = b.key
JOIN json_each(${literal(JSON.stringify(bounds))}) AS d ON d.key = b.key
WHERE m.name = ${literal(file)} AND coalesce(a.value, 0) < b.value - d.value)`,
    when: "list IS NOT NULL",
  })
}
