import { compatibility } from "./compatibility/compatibility.rpc.ts"
import { consents } from "./consent/consent.rpc.ts"
import { journal } from "./journal/journal.rpc.ts"
import { payments } from "./payment/payment.rpc.ts"
import { open } from "./service/rpc/procedures.ts"
import { settings } from "./service/settings/settings.rpc.ts"
import { tokens } from "./service/token/token.rpc.ts"
import { users } from "./service/user/user.rpc.ts"

/**
 * The typed procedures, but for those of `rare-router.ts`. The name of each is its path under /api/v1, and POST its
 * method unless it says GET.
 */
export const router = {
  ...open.tag("user").router(users),
  ...open.tag("service").router(settings),
  ...open.tag("journal").router(journal),
  ...open.tag("compatibility").router(compatibility),
  ...open.tag("payment").router(payments),
  ...open.tag("consent").router(consents),
  ...open.tag("token").router(tokens),
}
