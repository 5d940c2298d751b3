import * as compatibility from "./compatibility/compatibility-result.table.ts"
import * as consent from "./consent/consent.table.ts"
import * as journal from "./journal/journal-entry.table.ts"
import * as payment from "./payment/payment.table.ts"
import * as usage from "./plan/usage.table.ts"
import * as audit from "./service/platform/audit/audit-entry.table.ts"
import * as auth from "./service/platform/database/auth.table.ts"

/** All tables, and the relations that the authentication library joins. */
export const schema = {
  ...auth,
  ...usage,
  ...journal,
  ...compatibility,
  ...payment,
  ...consent,
  ...audit,
}
