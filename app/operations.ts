import { webhookOperation } from "./payment/webhook.ts"
import type { Operation } from "./service/openapi/operation.ts"

/** Operations of features below /api/v1 that are no typed procedures. */
export const untyped: Operation[] = [webhookOperation]
