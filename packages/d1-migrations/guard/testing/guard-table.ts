import { comparedValues } from "./guard-table/compared-values.ts"
import { excusedValues } from "./guard-table/excused-values.ts"
import type { GuardRow } from "./guard-table/guard-row.ts"

export const guardTable: GuardRow[] = [...comparedValues, ...excusedValues]
