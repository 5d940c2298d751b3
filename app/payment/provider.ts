import type { Secret } from "../secret.ts"

export type PaymentAccount = {
  readonly url: string
  readonly secret: Secret
  readonly webhookSecret: Secret
}

type Order = {
  readonly paymentId: string
  /** In the currency's smallest unit. */
  readonly amount: number
  readonly currency: string
  readonly title: string
  readonly expiresAt: Date
  readonly successUrl: string
  readonly cancelUrl: string
}

/** What became of a payment; `ignored` events are none of this service's. */
export type Outcome = "paid" | "failed" | "pending"

export type PaymentEvent = {
  readonly id: string
  readonly type: string
  readonly about: { readonly paymentId: string; readonly outcome: Outcome } | null
}

/** The other side of payments. All but `readEvent` throw when it cannot be reached. */
export type PaymentProvider = {
  /** The same order again leads to the same session. */
  readonly openCheckout: (order: Order) => Promise<{ sessionId: string; url: string }>
  readonly outcomeOf: (sessionId: string) => Promise<{ paymentId: string; outcome: Outcome }>
  /** Null unless the provider signed this very body within the last five minutes. */
  readonly readEvent: (webhook: {
    readonly body: string
    readonly signature: string
    readonly now: Date
  }) => PaymentEvent | null
}
