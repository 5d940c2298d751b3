import { expect, test } from "vitest"

import { expectNoLeak, formsOf, leaksIn } from "./secret-forms.ts"

const secret = 'canary "7f3a/91c2" & ü\\of a real+account'

test.each([
  ["plain", secret],
  ["JSON-escaped", JSON.stringify({ secret })],
  ["JSON-escaped twice", JSON.stringify({ body: JSON.stringify({ secret }) })],
  ["URL-encoded", `https://x.test/?a=${encodeURIComponent(secret)}`],
  ["URL-encoded as in a form", new URLSearchParams({ token: secret }).toString()],
  ["hex", Buffer.from(`x${secret}y`).toString("hex")],
  ["upper-case hex", Buffer.from(secret).toString("hex").toUpperCase()],
])("a secret is found %s", (form, text) => {
  expect(leaksIn(`before ${text} after`, { KEY: secret })).toContain(`KEY, ${form}`)
})

test.each(["base64", "base64url"] as const)(
  "a secret is found in %s wherever it begins",
  (encoding) => {
    for (let before = 0; before < 9; before += 1) {
      for (let after = 0; after < 3; after += 1) {
        const text = Buffer.from(`${"<".repeat(before)}${secret}${">".repeat(after)}`)
        const leaks = leaksIn(text.toString(encoding), { KEY: secret })
        const form = expect.stringContaining(`, ${encoding} after ${before % 3} bytes`)
        expect({ before, after, found: leaks }).toMatchObject({
          found: expect.arrayContaining([form]),
        })
      }
    }
  },
)

test("another text is no leak, and a leak is told by name and form, never by its value", () => {
  expectNoLeak("canary of another account", { KEY: secret })
  expect(() => expectNoLeak(`x${secret}`, { KEY: secret })).toThrow(/KEY, plain/)
  expect(() => formsOf("short")).toThrow("12 characters")
})
