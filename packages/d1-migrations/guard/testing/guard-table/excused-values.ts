import type { GuardRow } from "./guard-row.ts"

const destinations = "analysis/destinations.ts"
const tables = "guard/guarded-tables.ts"
const compare = "guard/compare.ts"
const paired = "guard/paired-rows.ts"

export const excusedValues: GuardRow[] = [
  {
    does: "excuses",
    what: "a value in place of NULL",
    file: compare,
    code: "`(${isSame(cell)} OR a.${cell.was} IS NULL)`",
    without: "isSame(cell)",
    example: "fill-default",
  },
  {
    does: "excuses",
    what: "rows that are whole as earlier files have written them",
    file: tables,
    code: "(seeds.get(table.name) ?? []).slice(0, mostSeeds)",
    without: "(seeds.get('') ?? []).slice(0, mostSeeds)",
    example: "seedupd",
  },
  {
    does: "excuses",
    what: "the same, but only while they are whole",
    file: tables,
    code: "columns.map(({ name, was }) => `${was} IS",
    without: "columns.slice(0, 1).map(({ name, was }) => `${was} IS",
    example: "seed-that-people-edited",
  },
  {
    does: "excuses",
    what: "the same, but no others that are equal",
    file: "guard/snapshot.ts",
    code: "GROUP BY ${group}",
    without: "GROUP BY rowid",
    example: "seed-and-equal-rows",
  },
  {
    does: "excuses",
    what: "as many rows as are declared",
    file: tables,
    code: '"atMost" in declared ? declared.atMost',
    without: '"atMost" in declared ? 0',
    example: "declared-loses",
  },
  {
    does: "excuses",
    what: "other values as declared, but not NULL or blanks",
    file: paired,
    code: "whenMore(y, empties + loses,",
    without: "whenMore(y, Infinity,",
    example: "changes-that-empties",
  },
  {
    does: "excuses",
    what: "other values as declared, but not one for all",
    file: "guard/differences.ts",
    code: "return `CASE WHEN ${isConstant} THEN",
    without: "return `CASE WHEN 0 THEN",
    example: "changes-to-one-constant-for-real-rows",
  },
  {
    does: "excuses",
    what: "references that are declared to be emptied, and nothing but NULL in them",
    file: paired,
    code: "empties > 0 ? `(${x} - ${y})` : x",
    without: "empties > 0 ? '0' : x",
    example: "empties-that-moves-some",
  },
  {
    does: "excuses",
    what: "rows in the table that a declaration moves them to",
    file: destinations,
    code: "  add(target)\n",
    without: "",
    example: "archive",
  },
]
