import { administration } from "../admin/admin.rpc.ts"
import { listAuditEntries, listSecurityEvents } from "../admin/audit.rpc.ts"
import { compatibility } from "../compatibility/compatibility.rpc.ts"
import { consents } from "../consent/consent.rpc.ts"
import { journal } from "../journal/journal.rpc.ts"
import { payments } from "../payment/payment.rpc.ts"
import { tokens } from "../token/token.rpc.ts"
import { exportData, readMember } from "../user/data-export.rpc.ts"
import { users } from "../user/user.rpc.ts"
import { open } from "./procedures.ts"

/** Every typed procedure; its name is its path under /api/v1, and POST its method unless it says GET. */
export const router = {
  ...open.tag("user").router({ ...users, exportData, listSecurityEvents }),
  ...open.tag("journal").router(journal),
  ...open.tag("compatibility").router(compatibility),
  ...open.tag("payment").router(payments),
  ...open.tag("consent").router(consents),
  ...open.tag("token").router(tokens),
  ...open.tag("admin").router({ ...administration, readMember, listAuditEntries }),
}
