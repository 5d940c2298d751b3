import { paymentPrices } from "./payment/payment.rpc.ts"
import type { Services } from "./services.ts"

/** The amount is in the currency's smallest unit. */
type Price = { amount: number; currency: string }

/** What members can buy of the nouns here, by its name. */
export const prices: ((services: Services) => Record<string, Price>)[] = [paymentPrices]
