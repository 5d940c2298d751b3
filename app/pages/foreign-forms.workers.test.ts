import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { pages } from "../pages.ts"
import { bind } from "../testing/browser.ts"
import { createCountingDatabase } from "../testing/counting-database.ts"
import { openPageOwner } from "../testing/page-owner.ts"
import { createReader } from "../testing/page-reader.ts"
import { password } from "../testing/person.ts"
import type { Field } from "./fields.ts"

const counting = createCountingDatabase(env.DB)
const bound = bind({
  DB: counting.database,
  PAGES: "true",
  LIMIT_EMAIL: undefined,
  LIMIT_ADDRESS: undefined,
})

type Reader = ReturnType<typeof createReader>

/** Every form of every page, filled in as its owner would. */
function formsFor({ email, id }: { email: string; id: string }) {
  const value = (name: string, field: Field) => {
    if (field.is === "email" || name === "email") return email
    if (field.is === "password") return password
    return field.is === "date" ? "2099-12-31" : "1"
  }
  return pages.flatMap(({ path, forms = [] }) =>
    forms.map(({ act, fields }) => {
      const values = Object.entries(fields).map(([name, field]) => [name, value(name, field)])
      return {
        form: `${path} ${act}`,
        path: path.replace(":id", id),
        fields: { ...Object.fromEntries(values), act },
      }
    }),
  )
}

/** Sends a form as a browser that leaves headers out which are undefined. */
async function send(
  { browser }: Reader,
  { path, fields }: { path: string; fields: Record<string, string> },
  headers: Record<string, string>,
) {
  const type = { "content-type": "application/x-www-form-urlencoded" }
  const body = new URLSearchParams(fields).toString()
  return browser.send("POST", path, { headers: { ...type, ...headers }, body })
}

test.each([
  ["another site", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }],
  ["another site, as an old browser", { origin: "https://evil.example" }],
  ["a host whose name begins like the own", { origin: "http://localhost:8787.evil.example" }],
  ["the trusted front end", { origin: "http://localhost:3000", "sec-fetch-site": "same-site" }],
  ["a sibling host", { origin: "http://sibling.localhost:8787", "sec-fetch-site": "same-site" }],
  ["a page in a sandbox", { origin: "null", "sec-fetch-site": "cross-site" }],
  ["an old page in a sandbox", { origin: "null" }],
  ["who says no origin", {}],
  ["a sibling that says no origin", { "sec-fetch-site": "same-site" }],
  [
    "who lies about the origin",
    { origin: "http://localhost:8787", "sec-fetch-site": "cross-site" },
  ],
  ["the own site, as text", { origin: "http://localhost:8787", "content-type": "text/plain" }],
  [
    "the own site, in parts",
    { origin: "http://localhost:8787", "content-type": "multipart/form-data; boundary=x" },
  ],
])(
  "no form of any page is accepted from %s: D1 is not queried, and no cookie is set",
  async (_, headers) => {
    const owner = await openPageOwner(bound)
    const forms = formsFor(owner)
    const cookies = [...owner.reader.browser.cookies]
    for (const form of forms) {
      // The form of a visitor without a session is a forged login.
      for (const reader of [owner.reader, createReader(bound)]) {
        const before = reader.browser.cookies.size
        let answer: Response | undefined
        const statements = await counting.during(async () => {
          answer = await send(reader, form, headers)
        })
        const { status, headers: responseHeaders } = answer ?? Response.error()
        expect({
          form: form.form,
          status,
          sent: statements,
          cookies: responseHeaders.getSetCookie(),
        }).toEqual({
          form: form.form,
          status: 403,
          sent: [],
          cookies: [],
        })
        expect(reader.browser.cookies.size).toBe(before)
      }
    }
    expect(forms.length).toBeGreaterThan(40)
    expect([...owner.reader.browser.cookies]).toEqual(cookies)
  },
)

test("each of these forms counts where its page is", async () => {
  const sameOrigin = { origin: "http://localhost:8787", "sec-fetch-site": "same-origin" }
  const owner = await openPageOwner(bound)
  for (const form of formsFor(owner)) {
    const answer = await send(owner.reader, form, sameOrigin)
    expect({ form: form.form, isRefused: answer.status === 403 }).toEqual({
      form: form.form,
      isRefused: false,
    })
  }
})
