import type { Migration } from "../migration-files.ts"
import { sidecarTable } from "../own-tables.ts"
import { literal } from "../sql-literal.ts"
import { recordCounts } from "./counts.ts"
import { refuseWhen } from "./refusal-statement.ts"

const key = "broken references"
const broken = "SELECT count(*) FROM pragma_foreign_key_check"

/**
 * A file that ends the deferral of foreign keys by itself commits references that lead nowhere: SQLite
 * then forgets what it had still to check (tried on workerd 1.20261102.1). Prisma ends its rebuilds so.
 */
export function mayBreakReferences({ sql }: Migration): boolean {
  return /defer_foreign_keys/i.test(sql)
}

export function recordReferences(file: string): string[] {
  return recordCounts(file, "rows_before", [[key, broken]])
}

/** Fails when more of them lead nowhere than before the file. */
export function compareReferences(file: string): string {
  const before = `(SELECT json_extract(rows_before, '$."${key}"') FROM "${sidecarTable}" WHERE name = ${literal(file)})`
  return refuseWhen({
    what: `now || ' rows refer to rows that do not exist, and ' || before || ' before the file'`,
    from: `(SELECT (${broken}) AS now, ${before} AS before)`,
    when: "now > before",
  })
}
