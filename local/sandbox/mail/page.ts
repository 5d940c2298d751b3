import { html } from "hono/html"

import { page } from "../page.ts"
import type { Letter } from "./outbox.ts"

/** The letters, newest first, with their links. */
export function outboxPage(letters: Letter[], path: string) {
  return page(
    "Outbox",
    letters.length === 0
      ? html`<p class="note">
          No letters yet. What the service sends on this machine is shown here.
        </p>`
      : html`${letters.map(article)}
          <form method="post" action="${path}/clear"><button>Clear</button></form>`,
  )
}

function article({ to, from, subject, time, text }: Letter) {
  return html`<article>
    <h2>${subject}</h2>
    <p>to ${to}, from ${from}, <time datetime="${time}">${time}</time></p>
    <pre>${text.split(link).map(part)}</pre>
  </article>`
}

/** Split by it, the links of a text are its every second part. */
const link = /(https?:\/\/[^\s<>"']+)/

function part(text: string, index: number) {
  return index % 2 === 1 ? html`<a href="${text}" rel="noreferrer">${text}</a>` : text
}
