import { type Checkout, type CheckoutOptions, copyCheckout } from "./checkout.ts"
import { openStackKey, type StackKey } from "./stack-key.ts"

export type KeyedCheckout = Checkout & { key: StackKey }

/** A copy of the checkout whose stacks on this machine have the key of `openStackKey`, not a passphrase. */
export async function copyKeyedCheckout(
  options: Omit<CheckoutOptions, "settings"> = {},
): Promise<KeyedCheckout> {
  using opened = new DisposableStack()
  const key = opened.use(await openStackKey())
  const checkout = copyCheckout({ ...options, settings: key.settings })
  const kept = opened.move()
  return {
    ...checkout,
    key,
    async [Symbol.asyncDispose]() {
      await checkout[Symbol.asyncDispose]()
      kept.dispose()
    },
  }
}
