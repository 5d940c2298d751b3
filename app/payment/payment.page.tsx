import { given } from "../pages/outcome.ts"
import type { Page } from "../pages/page.ts"

/** Where the payment provider sends people back to, perhaps before it has told the service. */
const payment: Page = {
  path: "/payments/:id",
  audience: "member",
  title: (words) => words.payments,
  show: async ({ api, path, words, language, settings }) => {
    const paymentId = path.split("/").at(-1) ?? ""
    const { status, amount, currency } = await given(api.payment.verifyPayment({ paymentId }))
    const price = new Intl.NumberFormat(language, { style: "currency", currency })
    const states: Record<string, string> = words.paymentStates
    return (
      <>
        <p role="status">
          <strong>{states[status] ?? words.paymentStates.other}</strong>
        </p>
        <p>{price.format(amount / 100)}</p>
        {status === "pending" && (
          <p>
            <a href={path}>{words.paymentAgain}</a>
          </p>
        )}
        <a class="button" href={settings.webUrl}>
          {words.continue}
        </a>
      </>
    )
  },
}

export const paymentPages = [payment]
