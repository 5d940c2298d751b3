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
