import type { GuardRow } from "./guard-row.ts"

const destinations = "analysis/destinations.ts"
const tables = "guard/guarded-tables.ts"
const compare = "guard/compare.ts"

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
    code: "seeds: findLiteralRows(seeds.get(table.name) ?? [], columns)",
    without: "seeds: []",
    example: "seedupd",
  },
  {
    does: "excuses",
    what: "the same, but only while they are whole",
    file: "guard/seeded-conditions.ts",
    code: 'balanced(cells, "AND")',
    without: 'balanced(cells.slice(0, 1), "AND")',
    example: "seed-that-people-edited",
  },
  {
    does: "excuses",
    what: "the same, but no others that are equal",
    file: "guard/snapshot.ts",
    code: 'GROUP BY ${[...guarded.columns.values()].join(", ")}',
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
    file: compare,
    code: "`WHEN ${y} > ${most(cell.empties + cell.loses)} THEN ${emptied}`",
    without: "`WHEN 0 THEN ${emptied}`",
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
    file: compare,
    code: "${x} - ${y} * ${Number(cell.empties > 0)} >",
    without: "(${x} - ${y}) * ${Number(cell.empties === 0)} >",
    example: "empties-that-moves-some",
  },
  {
    does: "excuses",
    what: "rows that are in a table to which they are declared to move",
    file: destinations,
    code: "  add(target)\n",
    without: "",
    example: "archive",
  },
]
