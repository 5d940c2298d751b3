import { html } from "hono/html"

import { page } from "../page.ts"
import type { Email } from "./outbox.ts"

/** @param emails newest first */
export function outboxPage(emails: Email[], path: string) {
  return page(
    "Outbox",
    emails.length === 0
      ? html`<p class="note">
          No e-mails yet. Every e-mail that the local service sends appears here.
        </p>`
      : html`${emails.map(article)}
          <form method="post" action="${path}/clear"><button>Delete all</button></form>`,
  )
}

function article({ to, from, subject, time, text }: Email) {
  return html`<article>
    <h2>${subject}</h2>
    <p>To ${to}, from ${from}, <time datetime="${time}">${time}</time></p>
    <pre>${text.split(link).map(part)}</pre>
  </article>`
}

/** Splitting a text by it puts the links at the odd indexes. */
const link = /(https?:\/\/[^\s<>"']+)/

function part(text: string, index: number) {
  return index % 2 === 1 ? html`<a href="${text}" rel="noreferrer">${text}</a>` : text
}
