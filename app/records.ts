import { consentRecords } from "./consent/consent-records.ts"
import { paymentRecords } from "./payment/payment-records.ts"
import type { Records } from "./service/platform/database/records.ts"

/** Hooks of each feature that must keep rows or do more than delete them with the account. */
export const records: Records[] = [paymentRecords, consentRecords]
