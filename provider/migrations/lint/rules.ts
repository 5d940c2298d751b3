import type { Rule } from "./rule.ts"
import { cascadeParent } from "./rules/cascade-parent.ts"
import { d1Limits } from "./rules/d1-limits.ts"
import { dropOrRename } from "./rules/drop-or-rename.ts"
import { ledgerWrite } from "./rules/ledger-write.ts"
import { notNullWithoutDefault } from "./rules/not-null-without-default.ts"
import { transaction } from "./rules/transaction.ts"
import { unboundedWrite } from "./rules/unbounded-write.ts"
import { uniqueOnData } from "./rules/unique-on-data.ts"

export const rules: Rule[] = [
  cascadeParent,
  dropOrRename,
  notNullWithoutDefault,
  uniqueOnData,
  unboundedWrite,
  transaction,
  ledgerWrite,
  d1Limits,
]
