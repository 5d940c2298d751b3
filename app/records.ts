import { consentRecords } from "./consent/consent-records.ts"
import { paymentRecords } from "./payment/payment-records.ts"
import type { Records } from "./service/user/records.ts"

/** Of each noun whose rows do not simply go with their account. */
export const records: Records[] = [paymentRecords, consentRecords]
