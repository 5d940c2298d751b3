import { consentRecords } from "./consent/consent-records.ts"
import { paymentRecords } from "./payment/payment-records.ts"
import type { Records } from "./service/platform/database/records.ts"

/** Hooks of each feature whose rows are not simply deleted with their account. */
export const records: Records[] = [paymentRecords, consentRecords]
