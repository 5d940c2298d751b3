import type { Secret } from "../secret.ts"

export type PaymentAccount = {
  url: string
  secret: Secret
  webhookSecret: Secret
}

type Order = {
  paymentId: string
  /** In the currency's smallest unit. */
  amount: number
  currency: string
  title: string
  expiresAt: Date
  successUrl: string
  cancelUrl: string
}

/** What became of a payment; `ignored` events are none of this service's. */
export type Outcome = "paid" | "failed" | "pending"

export type PaymentEvent = {
  id: string
  type: string
  about: { paymentId: string; outcome: Outcome } | null
}

/** The other side of payments. All but `readEvent` throw when it cannot be reached. */
export type PaymentProvider = {
  /** The same order again leads to the same session. */
  openCheckout: (order: Order) => Promise<{ sessionId: string; url: string }>
  outcomeOf: (sessionId: string) => Promise<{ paymentId: string; outcome: Outcome }>
  /** Null unless the provider signed this very body within the last five minutes. */
  readEvent: (webhook: { body: string; signature: string; now: Date }) => PaymentEvent | null
}
