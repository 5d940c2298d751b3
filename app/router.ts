import { compatibility } from "./compatibility/compatibility.rpc.ts"
import { consents } from "./consent/consent.rpc.ts"
import { exported } from "./exports.ts"
import { journal } from "./journal/journal.rpc.ts"
import { payments } from "./payment/payment.rpc.ts"
import { planProcedures } from "./plan/plan.rpc.ts"
import { limits, metrics } from "./plan/plan.ts"
import { prices } from "./prices.ts"
import { addresses } from "./service/account/address/address.rpc.ts"
import { exportData } from "./service/account/export/data-export.rpc.ts"
import { createDataExport } from "./service/account/export/data-export.ts"
import { ways } from "./service/account/methods/ways.rpc.ts"
import { devices, users } from "./service/account/user.rpc.ts"
import { getMemberAccess } from "./service/admin/access.rpc.ts"
import { administration } from "./service/admin/admin.rpc.ts"
import { listAuditEntries, listSecurityEvents } from "./service/admin/audit.rpc.ts"
import { invitations } from "./service/admin/invitation.rpc.ts"
import { readMember } from "./service/admin/member-data.rpc.ts"
import { moderation } from "./service/admin/moderation.rpc.ts"
import { settings } from "./service/routes/settings.rpc.ts"
import { open } from "./service/session/procedures.ts"
import { tokens } from "./service/session/token/token.rpc.ts"
import { passkeyProcedures } from "./service/sign-in/passkey/passkey.rpc.ts"
import { secondFactors } from "./service/sign-in/second-factor/factor.rpc.ts"

const dataExport = createDataExport(exported)

/** The typed procedures. A procedure's name is its path under /api/v1. The default method is POST. */
export const router = {
  ...open.tag("user").router({
    ...users,
    ...planProcedures,
    ...addresses,
    ...ways,
    ...devices,
    ...passkeyProcedures,
    ...secondFactors,
    exportData: exportData(dataExport),
    listSecurityEvents,
  }),
  ...open.tag("service").router(settings({ metrics, limits, prices })),
  ...open.tag("journal").router(journal),
  ...open.tag("compatibility").router(compatibility),
  ...open.tag("payment").router(payments),
  ...open.tag("consent").router(consents),
  ...open.tag("token").router(tokens),
  ...open.tag("admin").router({
    ...administration,
    ...moderation,
    ...invitations,
    getMemberAccess,
    readMember: readMember(dataExport),
    listAuditEntries,
  }),
}
