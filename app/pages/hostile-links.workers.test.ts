import { expect, test } from "vitest"

import { pages } from "../pages.ts"
import { bind } from "../testing/browser.ts"
import { openPageOwner } from "../testing/page-owner.ts"
import { createReader } from "../testing/page-reader.ts"

const bound = bind({ PAGES: "true", LIMIT_EMAIL: undefined, LIMIT_ADDRESS: undefined })
/** Every name that a page, the API or a provider reads from a query. */
const parameters = [
  "return",
  "callbackURL",
  "redirectTo",
  "errorCallbackURL",
  "token",
  "invitation",
  "error",
  "done",
  "language",
  "cursor",
  "email",
  "purpose",
  "version",
  "action",
  "cancelled",
]
const hostile = [
  "https://evil.example/",
  "//evil.example",
  "/\\evil.example",
  "http://localhost:3000@evil.example/",
  "javascript:alert(1)",
]

test.each(hostile)(
  "no parameter of any page leads to %s, signed in or out, nor is it a link there",
  async (value) => {
    const { reader, id } = await openPageOwner(bound)
    const search = new URLSearchParams(parameters.map((name) => [name, value])).toString()
    let looked = 0
    for (const { path } of pages) {
      const at = `${path.replace(":id", id)}?${search}`
      for (const visitor of [reader, createReader(bound)]) {
        const answer = await visitor.browser.send("GET", at, {
          headers: { "sec-fetch-site": "same-origin" },
        })
        const place = `${path} ${answer.headers.get("location") ?? answer.headers.get("refresh")}`
        // A token or a page to return to may be carried on, as a value.
        expect(place.split(/[?]/)[0]).not.toMatch(/evil|javascript/)
        const links = (await answer.text()).match(/(?:href|action|src)="[^"?]*/g) ?? []
        expect(links.filter((link) => /evil|javascript:/.test(link))).toEqual([])
        looked += 1
      }
    }
    expect(looked).toBe(pages.length * 2)
  },
)

test("every page weighs at most 20 KB with its stylesheet, in three requests, and no page runs a script but the one of all", async () => {
  const { reader, id } = await openPageOwner(bound)
  const links = new Map<string, number>()
  for (const { path } of pages) {
    const page = await reader.open(path.replace(":id", id), { "sec-fetch-site": "same-origin" })
    if (page.headers.get("content-type")?.startsWith("text/html") !== true) continue
    const loaded =
      page.html.match(/<(?:link rel="stylesheet"|script|img|iframe|object)[^>]*>/g) ?? []
    expect({ path, loaded }).toEqual({
      path,
      loaded: [
        expect.stringMatching(/href="\/pages-[\w-]{12}\.css"/),
        expect.stringMatching(/src="\/pages-[\w-]{12}\.js"/),
      ],
    })
    const [, style = ""] = /href="(\/pages-[^"]*)"/.exec(page.html) ?? []
    const css = await (await reader.browser.get(style)).text()
    links.set(path, page.html.length + css.length)
  }
  expect(links.size).toBeGreaterThan(15)
  expect([...links].filter(([, bytes]) => bytes > 20_000)).toEqual([])
})
