import { field } from "../pages/fields.ts"
import { defineForm, Form, type Page } from "../pages/form.tsx"
import { List, searched, When } from "../pages/list.tsx"
import { unwrap, Go } from "../pages/outcome.ts"
import type { Visit } from "../pages/visit.ts"
import { wordFor } from "../pages/words/words.ts"

const listPath = "/account/payments"
/** A result with one of these statuses cannot be bought again. */
const sold = new Set<string | null>(["pending", "processing", "paid", "disputed"])

const buyForm = defineForm({
  act: "buy",
  button: (words) => words.buy,
  fields: { resultId: field.hidden },
  send: async ({ api }, { resultId }) => {
    const { data, error } = await api.payment.createCheckout({ resultId })
    return error ?? new Go(data.url)
  },
})

const list: Page = {
  path: listPath,
  audience: "member",
  isInMenu: true,
  title: (words) => words.payments,
  show: async (visit) => {
    const { words, api, query } = visit
    const [{ prices }, results, payments] = await Promise.all([
      unwrap(api.service.settings()),
      unwrap(api.compatibility.listResults()),
      unwrap(api.payment.listPayments(searched(visit, {}))),
    ])
    const { deepInsights: price } = prices
    const offered = results.items.filter(
      ({ unlocked, paymentStatus }) => !unlocked && !sold.has(paymentStatus),
    )
    return (
      <>
        {price !== undefined && !query.has("cursor") && offered.length > 0 && (
          <List
            visit={visit}
            items={offered}
            row={({ id, partnerName }) => (
              <>
                <span>
                  {words.insightsOf(partnerName)}
                  <small>{money(price, visit)}</small>
                </span>
                <Form visit={visit} form={buyForm} values={{ resultId: id }} />
              </>
            )}
          />
        )}
        <List
          visit={visit}
          {...payments}
          none={words.noPayments}
          row={({ id, status, createdAt, ...paid }) => (
            <>
              <span>
                <a href={`/payments/${id}`}>{money(paid, visit)}</a>
                <small>
                  <When visit={visit} at={createdAt} />
                </small>
              </span>
              <span class={status === "paid" ? "tag on" : "tag"}>
                {wordFor(words.paymentStatuses, status)}
              </span>
            </>
          )}
        />
      </>
    )
  },
  forms: [buyForm],
}

type Price = { amount: number; currency: string }

function money({ amount, currency }: Price, { language }: Visit) {
  return new Intl.NumberFormat(language, { style: "currency", currency }).format(amount / 100)
}

/** The page that the payment provider returns to, perhaps before its webhook has arrived. */
const payment: Page = {
  path: "/payments/:id",
  audience: "member",
  parent: "/account/payments",
  title: (words) => words.payment,
  show: async (visit) => {
    const { api, path, words, settings } = visit
    const paymentId = path.split("/").at(-1) ?? ""
    const { status, resultId, ...price } = await unwrap(api.payment.verifyPayment({ paymentId }))
    const states: Record<string, string> = words.paymentStates
    return (
      <>
        <p role="status" class={status === "paid" ? "good" : "note"}>
          <strong>{states[status] ?? states["other"]}</strong> {money(price, visit)}
        </p>
        {(status === "pending" || status === "failed") && (
          <Form visit={visit} form={buyForm} values={{ resultId }} />
        )}
        {(status === "pending" || status === "processing") && (
          <p>
            <a href={path}>{words.paymentAgain}</a>
          </p>
        )}
        <p>
          <a class="button" href={visit.returnTo ?? settings.look.home ?? settings.webUrl}>
            {words.continue}
          </a>
        </p>
        <a href={listPath}>{words.payments}</a>
      </>
    )
  },
  forms: [buyForm],
}

export const paymentPages = [list, payment]
