import type { Rule } from "./rule.ts"
import { d1Limits } from "./rules/d1-limits.ts"
import { failsOnRows } from "./rules/fails-on-rows.ts"
import { ledgerWrite } from "./rules/ledger-write.ts"
import { cascadeParent, changedValues, lostParts, lostRows, lostValues } from "./rules/losses.ts"
import { notJudged } from "./rules/not-judged.ts"
import { oldNames } from "./rules/old-names.ts"
import { transaction } from "./rules/transaction.ts"

export const rules: Rule[] = [
  lostRows,
  lostValues,
  changedValues,
  lostParts,
  cascadeParent,
  notJudged,
  failsOnRows,
  oldNames,
  transaction,
  ledgerWrite,
  d1Limits,
]
