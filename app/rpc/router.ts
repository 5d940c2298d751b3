import { administration } from "../admin/admin.rpc.ts"
import { auditLog } from "../admin/audit.rpc.ts"
import { compatibility } from "../compatibility/compatibility.rpc.ts"
import { consents } from "../consent/consent.rpc.ts"
import { journal } from "../journal/journal.rpc.ts"
import { payments } from "../payment/payment.rpc.ts"
import { dataExport } from "../user/data-export.rpc.ts"
import { users } from "../user/user.rpc.ts"

/** Every typed procedure; its name is its path under /api/v1. */
export const router = {
  ...users,
  ...dataExport,
  ...journal,
  ...compatibility,
  ...payments,
  ...consents,
  ...administration,
  ...auditLog,
}
