import { compatibilityExamples } from "./compatibility/compatibility.examples.ts"
import { consentExamples, consentExported } from "./consent/consent.examples.ts"
import { journalExamples, journalExported } from "./journal/journal.examples.ts"
import { paymentExamples } from "./payment/payment.examples.ts"
import { webhookOperation } from "./payment/webhook-operation.ts"
import { administrationExamples } from "./service/admin/admin.examples.ts"
import { accountExamples } from "./service/auth/account.examples.ts"
import { secondFactorExamples } from "./service/auth/factor/factor.examples.ts"
import { passkeyExamples } from "./service/auth/passkey/passkey.examples.ts"
import { healthExamples } from "./service/http/health.examples.ts"
import { authExamples } from "./service/openapi/auth.examples.ts"
import type { ResponsesOf } from "./service/openapi/error-responses.ts"
import type { Examples } from "./service/openapi/examples.ts"
import { settingsExamples } from "./service/settings/settings.examples.ts"
import { tokenExamples } from "./service/token/token.examples.ts"
import { createUserExamples } from "./service/user/user.examples.ts"

/** What a member exports who uses these nouns; of the others, nothing. */
const exported = {
  ...journalExported,
  ...consentExported,
}

/** By operation id. Kept out of the schemas, which the Worker's bundle contains. */
export const examples: Examples = {
  ...createUserExamples(exported),
  ...journalExamples,
  ...compatibilityExamples,
  ...paymentExamples,
  ...consentExamples,
  ...settingsExamples,
  ...tokenExamples,
  ...administrationExamples,
  ...authExamples,
  ...accountExamples,
  ...passkeyExamples,
  ...secondFactorExamples,
  ...healthExamples,
}

/** Operations of nouns that are no typed procedures, by path. */
export const untyped: Record<string, (responsesOf: ResponsesOf) => object> = {
  "/api/v1/processWebhook": webhookOperation,
}
