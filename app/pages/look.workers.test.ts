import { expect, test } from "vitest"

import { bind } from "../testing/browser.ts"
import { createReader } from "../testing/page-reader.ts"
import { contrast, lightenedOn, paper, stylesheetIn } from "./stylesheet.ts"

const password = "a good long password"

function readerOf(look: unknown) {
  return createReader(bind({ PAGES: JSON.stringify(look) }))
}

test("a name, a logo, a colour and links are the operator's", async () => {
  const look = {
    name: "Acme & Sons",
    logo: "https://cdn.example.com/logo.svg",
    color: "#7a1fa2",
    home: "http://localhost:3000/start",
    links: { terms: "https://acme.example/terms", support: "https://acme.example/help" },
  }
  const reader = readerOf(look)
  const page = await reader.open("/sign-up")
  expect(page.html).toContain("<title>Create an account – Acme &amp; Sons</title>")
  expect(page.html).toContain(`<img src="${look.logo}" alt="" height="32"/>`)
  expect(page.html).toContain(`<a href="${look.links.terms}">Terms</a>`)
  expect(page.text).not.toContain("Privacy")
  expect(page.headers.get("content-security-policy")).toContain(
    "img-src data: https://cdn.example.com;",
  )
  const [, style = ""] = /href="(\/pages-[^"]*)"/.exec(page.html) ?? []
  const css = await reader.browser.get(style)
  expect(css.headers.get("cache-control")).toContain("immutable")
  expect(await css.text()).toContain("--main: #7a1fa2; --on-main: #fff")
  const older = await reader.browser.get("/pages-of-another-version.css")
  expect([older.status, older.headers.get("cache-control")]).toEqual([200, "no-store"])
  const [, plain = ""] =
    /href="(\/pages-[^"]*)"/.exec((await readerOf(true).open("/sign-in")).html) ?? []
  expect(plain).not.toBe(style)

  const email = `look-${crypto.randomUUID()}@example.com`
  const done = await reader.submit(page, "sign-up", { name: "Ada", email, password })
  expect(done.at).toBe(look.home)
  // The account stays where it is.
  expect((await reader.open("/account")).status).toBe(200)
})

test("an operator's languages are the only ones, and the first is the default", async () => {
  const reader = readerOf({ languages: ["de"] })
  const page = await reader.open("/sign-in?language=en", { "accept-language": "en" })
  expect(page.headers.get("content-language")).toBe("de")
  expect(page.html).not.toContain("hreflang")
})

test.each(["#0b6e4f", "#7a1fa2", "#000000", "#0000ff", "#8b0000", "#5a5a5a"])(
  "%s can be read in light and dark, on every background",
  (color) => {
    const dark = lightenedOn(color, paper.dark)
    expect(contrast(color, paper.light)).toBeGreaterThanOrEqual(4.5)
    expect(contrast(color, "#ffffff")).toBeGreaterThanOrEqual(4.5)
    expect(contrast(dark, paper.dark)).toBeGreaterThanOrEqual(4.5)
    const [, onMain = ""] = /--on-main: (#\w{6})/.exec(stylesheetIn(color)) ?? []
    expect(contrast(dark, onMain)).toBeGreaterThanOrEqual(4.5)
  },
)
