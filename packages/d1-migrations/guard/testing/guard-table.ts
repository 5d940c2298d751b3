import { comparedValues } from "./guard-table/compared-values.ts"
import { excusedValues } from "./guard-table/excused-values.ts"
import type { GuardRow } from "./guard-table/guard-row.ts"
import { guardedTables, leftTables } from "./guard-table/guarded-tables.ts"

export const guardTable: GuardRow[] = [
  ...guardedTables,
  ...leftTables,
  ...comparedValues,
  ...excusedValues,
]
