import { administration } from "./service/admin/admin.rpc.ts"
import { listAuditEntries, listSecurityEvents } from "./service/admin/audit.rpc.ts"
import { invitations } from "./service/admin/invitation.rpc.ts"
import { moderation } from "./service/admin/moderation.rpc.ts"
import { addresses } from "./service/auth/address/address.rpc.ts"
import { devices } from "./service/auth/device/device.rpc.ts"
import { secondFactors } from "./service/auth/factor/factor.rpc.ts"
import { passkeyProcedures } from "./service/auth/passkey/passkey.rpc.ts"
import { ways } from "./service/auth/ways.rpc.ts"
import { open } from "./service/rpc/procedures.ts"
import { exportData, readMember } from "./service/user/data-export.rpc.ts"

/** Typed procedures as those of `router.ts`, which are asked for seldom: `rare.ts` loads them late. */
export const rareRouter = {
  ...open.tag("user").router({
    ...addresses,
    ...ways,
    ...devices,
    ...passkeyProcedures,
    ...secondFactors,
    exportData,
    listSecurityEvents,
  }),
  ...open
    .tag("admin")
    .router({ ...administration, ...moderation, ...invitations, readMember, listAuditEntries }),
}
