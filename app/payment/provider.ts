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

export type Outcome = "paid" | "failed" | "pending"

/** What became of a checkout session, as the provider says. */
export type Settlement = {
  paymentId: string
  sessionId: string
  outcome: Outcome
  /** Null where the provider names none: such a session settles nothing. */
  amount: number | null
  currency: string | null
}

export type PaymentEvent = {
  id: string
  type: string
  /** Null for an event that does not concern a payment of this service. */
  about: Settlement | null
}

/** `openCheckout`, `expireCheckout` and `outcomeOf` throw if the provider cannot be reached. */
export type PaymentProvider = {
  /** Idempotent: the same order gets the same session. */
  openCheckout: (order: Order) => Promise<{ sessionId: string; url: string }>
  /** Ends a session that is open; throws for another. */
  expireCheckout: (sessionId: string) => Promise<unknown>
  outcomeOf: (sessionId: string) => Promise<Settlement>
  /** Null unless the provider signed exactly this body within the last five minutes. */
  readEvent: (webhook: { body: string; signature: string; now: Date }) => PaymentEvent | null
}
