import * as z from "zod"

import type { Descriptions } from "../operation.ts"

export const payment: Descriptions = {
  procedures: {
    createCheckout: {
      summary: "Start a checkout for the deep insights of a result",
      description: "Returns the open checkout of the result if there is one.",
    },
    verifyPayment: {
      summary: "Check the status of a payment with the payment provider",
      description:
        "For the page that the provider redirects back to, which may open before the webhook arrives.",
    },
    listPayments: {
      summary: "List your payments, newest first",
      description:
        "Includes payments that were never paid. Only verifyPayment asks the provider for what it has not told yet.",
    },
  },
  untyped: [
    {
      path: "/processWebhook",
      tag: "payment",
      summary: "Receive an event from the payment provider",
      description: "The signature covers the raw body. Delivering an event again changes nothing.",
      requestHeaders: ["stripe-signature"],
      body: z.looseObject({ id: z.string() }),
      output: z.object({ received: z.boolean() }),
      errors: ["INVALID_SIGNATURE", "PAYMENT_NOT_CONFIGURED", "PAYMENT_UNAVAILABLE"],
    },
  ],
}
