import { paymentPrices } from "./payment/payment.rpc.ts"
import type { Services } from "./services.ts"

/** The amount is in the currency's smallest unit. */
type Price = { amount: number; currency: string }

/** Items of the features that members can buy, by name. */
export const prices: ((services: Services) => Record<string, Price>)[] = [paymentPrices]
