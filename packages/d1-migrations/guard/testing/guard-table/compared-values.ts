import type { GuardRow } from "./guard-row.ts"

const reach = "reading/reach.ts"
const homes = "reading/homes.ts"
const tables = "guard/guarded-tables.ts"
const guard = "guard/guard.ts"
const shared = "guard/shared-homes.ts"
const compare = "guard/compare.ts"

export const comparedValues: GuardRow[] = [
  {
    does: "guards",
    what: "each table of before that a statement drops or writes, in words or by triggers",
    file: reach,
    code: "own, ...follows, ...byTriggers]) {\n        const was",
    without: "own, ...follows]) {\n        const was",
    example: "numbers-doubled-by-a-trigger",
  },
  {
    does: "guards",
    what: "a table to which an INSERT may add rows again that it has",
    file: tables,
    code: "const found = [...taken, ...repeated]",
    without: "const found = [...taken]",
    example: "rows-inserted-again",
  },
  {
    does: "guards",
    what: "a table to which rows of another one come",
    file: tables,
    code: "new Set([...found, ...beside])",
    without: "new Set(found)",
    example: "row-found-in-a-table-that-was-there",
  },
  {
    does: "leaves out",
    what: "what only adds",
    file: reach,
    code: "if (isOwn && isAdding) added.add(was)",
    without: "if (isOwn && !isOwn) added.add(was)",
    sql: "INSERT INTO user (id) VALUES ('seed');",
  },
  {
    does: "leaves out",
    what: "tables that the file makes itself",
    file: reach,
    code: "if (was === undefined) continue\n        touched",
    without:
      "if (was === undefined) taken.add('user')\n        if (was === undefined) continue\n        touched",
    sql: "CREATE TABLE tag (id TEXT); DELETE FROM tag; DROP TABLE tag;",
  },
  {
    does: "compares",
    what: "each row of before, by its key",
    file: compare,
    code: "CASE WHEN gone > ${most(bound)} THEN",
    without: "CASE WHEN 0 THEN",
    example: "delete-glob",
  },
  {
    does: "compares",
    what: "each value of such a row, with its type",
    file: compare,
    code: "return `CASE WHEN x${at} > ${most(cell.bound)} THEN",
    without: "return `CASE WHEN 0 THEN",
    example: "abs",
  },
  {
    does: "compares",
    what: "rows without a key by their numbers in a table that stays, or else whole and as often as before",
    file: compare,
    code: "HAVING sum(one) > 0))`",
    without: "HAVING sum(one) > 9))`",
    example: "copy-where-like",
  },
  {
    does: "compares",
    what: "rows without a key that are there more often than before",
    file: compare,
    code: "HAVING max(one) = 1 AND sum(one) < 0",
    without: "HAVING max(one) = 1 AND sum(one) < -99",
    example: "rows-inserted-again",
  },
  {
    does: "compares",
    what: "rows of several tables that come together: their keys",
    file: shared,
    code: "return isAlike ? [fewer, alike] : [fewer]",
    without: "return [fewer]",
    example: "row-found-in-another-table",
  },
  {
    does: "compares",
    what: "the same without a key: the sum of equal rows",
    file: shared,
    code: "lineFor(begin, countMissing(unkeyed), what,",
    without: 'lineFor(begin, "0", what,',
    example: "equal-row-of-two-tables-kept-once",
  },
  {
    does: "compares",
    what: "a column under its name, whoever had it before",
    file: homes,
    code: "const is = same ?? copy",
    without: "const is = copy ?? same",
    example: "names-of-columns-exchanged",
  },
  {
    does: "compares",
    what: "values that are declared to be elsewhere, row by row",
    file: "guard/moved-values.ts",
    code: 'return isMade && isAlone ? balanced([line(missing), repeated], "||") : line(missing)',
    without: "return repeated",
    example: "column-dropped-that-was-copied-to-other-rows",
  },
  {
    does: "compares",
    what: "numbers of rows that a trigger, a view or a full-text table knows",
    file: tables,
    code: "keepsNumbers: uses",
    without: "keepsNumbers: false",
    example: "rowids-of-full-text-content",
  },
  {
    does: "compares",
    what: "numbers of rows that a column named like the table holds",
    file: guard,
    code: "const columns = numberColumns(reading, file.names, one.table)",
    without: "const columns = numberColumns(reading, file.names, one.table).slice(0, 0)",
    example: "rowids-kept-elsewhere",
  },
  {
    does: "compares",
    what: "the last number of AUTOINCREMENT that a file sets back in words",
    file: guard,
    code: "if (isWritten) guard.after.push",
    without: "if (isWritten && !isWritten) guard.after.push",
    example: "sequence-set-back",
  },
]
