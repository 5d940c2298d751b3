import { html } from "hono/html"

import { page } from "../page.ts"
import type { Session } from "./sessions.ts"

export function payPage({ id, title, amount_total, currency }: Session) {
  const price = new Intl.NumberFormat("en", { style: "currency", currency })
  return page(
    title,
    html`<p class="price">${price.format(amount_total / 100)}</p>
      ${button(id, "pay", "Pay")} ${button(id, "promise", "Pay by bank transfer")}
      ${button(id, "cancel", "Cancel")}
      <p class="note">This is a payment sandbox on your machine. No money moves.</p>`,
  )
}

export function endedPage({ title, status, payment_status }: Session) {
  return page(title, html`<p>This checkout is ${status} and ${payment_status}.</p>`)
}

/** The sessions, with buttons for what may become of their money. */
export function overviewPage(sessions: Session[], path: string) {
  return page(
    "Payments",
    sessions.length === 0
      ? html`<p class="note">
          No checkouts yet. Every checkout that the local service opens appears here.
        </p>`
      : html`${sessions.map((session) => overviewOf(session, path))}`,
  )
}

function overviewOf(session: Session, path: string) {
  const { id, title, client_reference_id, status, payment_status } = session
  return html`<article>
    <h2>${title}</h2>
    <p>${client_reference_id}: ${[status, payment_status, ...reversalsOf(session)].join(", ")}</p>
    ${status === "open" ? html`<a href="/pay/${id}">Open</a>` : ""}
    ${
      status === "complete" && payment_status === "unpaid"
        ? html`${ownerButton(path, id, "arrive", "Let the transfer arrive")}
          ${ownerButton(path, id, "bounce", "Let the transfer fail")}`
        : ""
    }
    ${actsOf(session).map(([act, label]) => ownerButton(path, id, act, label))}
  </article>`
}

function reversalsOf({ refunded, dispute }: Session) {
  return [...(refunded ? ["refunded"] : []), ...(dispute === null ? [] : [`dispute ${dispute}`])]
}

/** What may become of money that has been paid. */
function actsOf({ payment_status, refunded, dispute }: Session): [act: string, label: string][] {
  if (payment_status !== "paid" || refunded) return []
  if (dispute === "needs_response") {
    return [
      ["win", "Let the dispute be won"],
      ["lose", "Let the dispute be lost"],
    ]
  }
  return dispute === null
    ? [
        ["refund", "Refund it"],
        ["dispute", "Let the bank dispute it"],
      ]
    : []
}

function button(id: string, act: string, label: string) {
  return html`<form method="post" action="/pay/${id}/${act}"><button>${label}</button></form>`
}

function ownerButton(path: string, id: string, act: string, label: string) {
  return html`<form method="post" action="${path}/${id}/${act}"><button>${label}</button></form>`
}
