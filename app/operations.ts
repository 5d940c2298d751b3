import { webhookOperation } from "./payment/webhook-operation.ts"
import type { ResponsesOf } from "./service/openapi/error-responses.ts"

/** Operations of nouns that are no typed procedures, by path. */
export const untyped: Record<string, (responsesOf: ResponsesOf) => object> = {
  "/api/v1/processWebhook": webhookOperation,
}
