import { compatibilityExport } from "./compatibility/compatibility.rpc.ts"
import { consentExport } from "./consent/consent.rpc.ts"
import { journalExport } from "./journal/journal.rpc.ts"
import { paymentExport } from "./payment/payment.rpc.ts"
import { planExport } from "./plan/plan.rpc.ts"
import type { Collections } from "./service/platform/database/records.ts"

/** Data of the features that members get in their export. */
export const exported: Collections = {
  ...planExport,
  ...journalExport,
  ...compatibilityExport,
  ...paymentExport,
  ...consentExport,
}

export const exportDescription =
  "In pages of up to 200 of each kind, fewer of large ones; later pages go on with one kind, until it is complete, and then with the next. Without passwords and tokens, and without what has not been paid for."
