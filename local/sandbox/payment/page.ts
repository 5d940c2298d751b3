import { html } from "hono/html"

import { page } from "../page.ts"
import type { Session } from "./sessions.ts"

/** Where a member pays, or thinks better of it. No money moves. */
export const payPage = ({ id, title, amount_total, currency }: Session) => {
  const price = new Intl.NumberFormat("en", { style: "currency", currency })
  return page(
    title,
    html`<p class="price">${price.format(amount_total / 100)}</p>
      ${button(id, "pay", "Pay")} ${button(id, "promise", "Pay by bank transfer")}
      ${button(id, "cancel", "Cancel")}
      <p class="note">A payment provider on this machine: no money moves.</p>`,
  )
}

export const endedPage = ({ title, status, payment_status }: Session) =>
  page(title, html`<p>This checkout is ${status}, and ${payment_status}.</p>`)

/** Every session, and what may still happen to it. */
export const overviewPage = (sessions: Session[], path: string) =>
  page(
    "Payments",
    sessions.length === 0
      ? html`<p class="note">No checkouts yet.</p>`
      : html`${sessions.map((session) => overviewOf(session, path))}`,
  )

const overviewOf = (
  { id, title, client_reference_id, status, payment_status }: Session,
  path: string,
) =>
  html`<article>
    <h2>${title}</h2>
    <p>${client_reference_id}: ${status}, ${payment_status}</p>
    ${status === "open" ? html`<a href="/pay/${id}">Open</a>` : ""}
    ${
      status === "complete" && payment_status === "unpaid"
        ? html`${transfer(path, id, "arrive", "The transfer arrives")}
          ${transfer(path, id, "bounce", "The transfer fails")}`
        : ""
    }
  </article>`

const button = (id: string, act: string, label: string) =>
  html`<form method="post" action="/pay/${id}/${act}"><button>${label}</button></form>`

const transfer = (path: string, id: string, act: string, label: string) =>
  html`<form method="post" action="${path}/${id}/${act}"><button>${label}</button></form>`
