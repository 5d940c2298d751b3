import type { Migration } from "../files/migration-files.ts"

/**
 * A file that ends the deferral of foreign keys by itself commits references that lead nowhere: SQLite
 * then forgets what it had still to check (tried on workerd 1.20261102.1). Prisma ends its rebuilds so.
 */
export function mayBreakReferences({ sql }: Migration): boolean {
  return /defer_foreign_keys/i.test(sql)
}

const snapshot = "d1_migrations_references_before"
const broken = "SELECT count(*) AS n FROM temp.pragma_foreign_key_check"

export const recordReferences = `CREATE TABLE ${snapshot} AS ${broken};`

/** Says when more of them lead nowhere than before the file. */
export function compareReferences(refuse: (what: string) => string): string {
  const what =
    "'rows that refer to rows that do not exist: ' || now || ', and ' || before || ' before the file: delete or correct them in the file, and leave PRAGMA defer_foreign_keys = OFF out' || char(10)"
  return `${refuse(`(SELECT CASE WHEN now > before THEN ${what} ELSE '' END FROM (SELECT (${broken}) AS now, n AS before FROM ${snapshot}))`)}
DROP TABLE ${snapshot};`
}
