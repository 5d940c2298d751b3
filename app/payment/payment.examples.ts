import type { Examples } from "../service/openapi/examples.ts"

const paymentId = "payment_89cfd9c54f34r5894r3ztwyg"
const resultId = "compatibility_result_m3s5ayn2yfcbt2ctzbwq5fkw"
const checkout = "cs_live_a1Vd0wGtZ7qXoN4b"

const payment = {
  id: paymentId,
  resultId,
  status: "paid",
  amount: 499,
  currency: "eur",
  createdAt: "2026-11-21T20:10:00.000Z",
  paidAt: "2026-11-21T20:11:26.540Z",
}

export const paymentExamples: Examples = {
  createCheckout: {
    body: { resultId },
    answer: {
      paymentId,
      url: `https://checkout.stripe.com/c/pay/${checkout}`,
      expiresAt: "2026-11-21T21:10:00.000Z",
    },
  },
  verifyPayment: { body: { paymentId }, answer: payment },
  listPayments: {
    parameters: {
      limit: 20,
      cursor: "MTc5NTI5MTgwMDAwMC5wYXltZW50Xzg5Y2ZkOWM1NGYzNHI1ODk0cjN6dHd5Zw",
    },
    answer: { items: [payment], nextCursor: null },
  },
  processWebhook: {
    parameters: { "stripe-signature": `t=1795291886,v1=${"5257a869".repeat(8)}` },
    body: {
      id: "evt_1TbQmR2eZvKYlo2C",
      type: "checkout.session.completed",
      data: {
        object: {
          id: checkout,
          client_reference_id: paymentId,
          status: "complete",
          payment_status: "paid",
        },
      },
    },
    answer: { received: true },
  },
}
