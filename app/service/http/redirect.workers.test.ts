import { expect, test } from "vitest"

import { bindProduction, createBrowser } from "../../testing/browser.ts"
import { isTrustedRedirect } from "./redirect.ts"

const origins = ["https://app.example.com", "http://localhost:3000"]

const apis = ["https://api.example.com", "http://localhost:8787", "https://app.example.com/a/b"]

/** What browsers and the library make of it, whose pages are the API's. */
function readAt(api: string, text: string) {
  return URL.parse(text, api)?.origin
}

test("whatever is trusted leads to the same trusted origin for every reader", () => {
  const schemes = ["https:", "http:", "HTTPS:", "//", "https", ""]
  const slashes = ["", "/", "//", "///", "\\\\", "/\t/"]
  const hosts = [
    "app.example.com",
    "localhost:3000",
    "APP.example.com",
    "app.example.com.",
    "evil.example",
  ]
  const before = ["", "x@", "app.example.com@", "app.example.com:443@", ":@"]
  const after = [
    "",
    "/",
    "?a=b",
    "#a",
    ":443",
    ":3000",
    ".evil.example",
    "/../../x",
    "@evil.example",
    "0",
    "\u2000",
  ]
  const texts = schemes.flatMap((scheme) =>
    slashes.flatMap((slash) =>
      before.flatMap((user) =>
        hosts.flatMap((host) => after.map((end) => `${scheme}${slash}${user}${host}${end}`)),
      ),
    ),
  )
  const trusted = texts.filter((text) => isTrustedRedirect(text, origins))
  expect([texts.length, trusted.length]).toEqual([9900, 10])
  for (const text of trusted) {
    for (const api of apis) expect(origins).toContain(readAt(api, text))
  }
})

test("a link without a page leads nowhere, rather than to a path of the API", async () => {
  const browser = createBrowser(bindProduction(), null)
  for (const query of ["?callbackURL=", "?callbackURL=&callbackURL=", "", "?errorCallbackURL="]) {
    const answer = await browser.get(`/api/auth/reset-password/x${query}`)
    expect([query, answer.status, answer.headers.get("location")]).toEqual([query, 400, null])
  }
  for (const query of ["token=x&callbackURL=", "token=x"]) {
    const answer = await browser.get(`/api/auth/verify-email?${query}`)
    expect([answer.status, await answer.json()]).toMatchObject([401, { code: "INVALID_TOKEN" }])
  }
})
