import * as z from "zod"

import { commonErrors, failuresOf, type ResponsesOf } from "../service/openapi/error-responses.ts"
import { jsonContent } from "../service/openapi/operation-fields.ts"

/** Beside the typed operations: the signature covers the body as it was sent. */
export function webhookOperation(responsesOf: ResponsesOf) {
  return {
    operationId: "processWebhook",
    summary: "Receive an event from the payment provider",
    description: "The signature covers the raw body. Delivering an event again changes nothing.",
    tags: ["payment"],
    parameters: [
      { name: "stripe-signature", in: "header", required: true, schema: { type: "string" } },
    ],
    requestBody: { required: true, content: jsonContent(z.looseObject({ id: z.string() })) },
    responses: {
      "200": { description: "OK", content: jsonContent(z.object({ received: z.boolean() })) },
      ...responsesOf([
        ...failuresOf("INVALID_SIGNATURE", "PAYMENT_NOT_CONFIGURED", "PAYMENT_UNAVAILABLE"),
        ...commonErrors("POST"),
      ]),
    },
  }
}
