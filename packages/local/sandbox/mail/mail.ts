import { join } from "node:path"

import { Hono } from "hono"
import { html } from "hono/html"
import * as z from "zod"

import { openState } from "../../state/state.ts"
import { hasKey, openKeys, page, parse, requireToken, style } from "../http.ts"
import type { Sandbox } from "../sandbox.ts"

const Keys = z.strictObject({ secret: z.string().min(1) })

/**
 * The mail service at the local stack's MAIL_URL. It sends no e-mails: programs with the token read them over HTTP,
 * and users on a page whose URL contains the token.
 */
export const mail: Sandbox = {
  name: "mail",
  port: 8791,
  open({ directory, token }) {
    const outbox = openOutbox(join(directory, "outbox.db"))
    const keys = openKeys(join(directory, "keys.json"), Keys)
    const routes = new Hono()

    routes.post("/send", async (c) => {
      if (!hasKey(c.req.header("authorization"), keys.current()?.secret)) {
        return c.json({ error: "This is not the key of the deployed service" }, 401)
      }
      const id = outbox.put(parse(Message, await c.req.json().catch(() => undefined)))
      return c.json({ id: String(id) })
    })

    routes.get("/style.css", (c) => c.body(style, 200, { "content-type": "text/css" }))
    routes.get(`/outbox/${token}`, (c) =>
      c.html(outboxPage(outbox.after(0).toReversed(), c.req.path)),
    )
    routes.post(`/outbox/${token}/clear`, (c) => {
      outbox.clear()
      return c.redirect(`/outbox/${token}`, 303)
    })

    routes.use("/local/*", requireToken(token))
    routes.put("/local/keys", async (c) => {
      keys.replace(parse(Keys, await c.req.json()))
      return c.body(null, 204)
    })
    routes.get("/local/status", (c) => c.json({ page: `/outbox/${token}` }))
    routes.get("/local/emails", (c) => {
      const after = parse(z.coerce.number().int().min(0).default(0), c.req.query("after"))
      return c.json({ emails: outbox.after(after) })
    })
    return { routes, close: () => outbox.close() }
  },
}

/** @param emails newest first */
function outboxPage(emails: Email[], path: string) {
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

/** Splits a text so that the links have odd indexes. */
const link = /(https?:\/\/[^\s<>"']+)/

function part(text: string, index: number) {
  return index % 2 === 1 ? html`<a href="${text}" rel="noreferrer">${text}</a>` : text
}

/** The e-mail in a request of the service. */
const Message = z.strictObject({
  from: z.string().min(1).max(320),
  to: z.email({ pattern: z.regexes.html5Email }).max(320),
  subject: z.string().min(1).max(500),
  text: z.string().max(100_000),
})
type Message = z.infer<typeof Message>

type Email = Message & {
  id: number
  /** Arrival time in ISO 8601. */
  time: string
}

/** E-mails kept; older ones are deleted. */
const capacity = 500

const schema = {
  version: 1,
  sql: `CREATE TABLE letter (
    id INTEGER PRIMARY KEY AUTOINCREMENT, time TEXT NOT NULL, sender TEXT NOT NULL,
    recipient TEXT NOT NULL, subject TEXT NOT NULL, text TEXT NOT NULL
  ) STRICT`,
}

const Row = z
  .object({
    id: z.number(),
    time: z.string(),
    sender: z.string(),
    recipient: z.string(),
    subject: z.string(),
    text: z.string(),
  })
  .transform(({ sender: from, recipient: to, ...rest }): Email => ({ from, to, ...rest }))

/** Opens the outbox. Only its owner can read `file`, because e-mails contain links that give access to accounts. */
function openOutbox(file: string) {
  const state = openState(file, schema)
  return {
    /** @returns the id */
    put({ from: sender, to: recipient, subject, text }: Message): number {
      const time = new Date().toISOString()
      return state.transaction(() => {
        state.run("DELETE FROM letter WHERE id <= (SELECT max(id) FROM letter) - ?", capacity - 1)
        state.insert("letter", { time, sender, recipient, subject, text })
        return Number(state.get("SELECT last_insert_rowid() AS id")?.["id"])
      })
    },
    /** Returns the e-mails with a higher id, oldest first. */
    after: (id: number) => state.list(Row, "SELECT * FROM letter WHERE id > ? ORDER BY id", id),
    clear: () => state.run("DELETE FROM letter"),
    close: () => state.close(),
  }
}
