import { join } from "node:path"

import axe from "axe-core"
import type { Page as Tab } from "playwright-core"
import { expect } from "vitest"
import * as z from "zod"

import { root } from "../../../base/root.ts"

/** Folder for screenshots of the pages. */
const shots = process.env["SCREENSHOTS"]
const widths = [1280, 360]

const Pages = z.array(
  z.object({ path: z.string(), audience: z.enum(["anyone", "member", "admin"]) }),
)
/** Imported by a computed name, so that the compiler does not check the Worker's code with this folder's settings. */
const { pages: table } = await import(join(root, "app/pages.ts"))
const pages = Pages.parse(table)

/** How a page is reached that its path alone does not open, or why there is nothing to look at. */
const reached: Record<string, { search?: string; from?: string; isNoPage?: true }> = {
  "/": { isNoPage: true },
  "/account/data.json": { isNoPage: true },
  "/reset-password": { search: "?token=damaged" },
  "/verify/prove": { search: "?error=PASSWORD_REQUIRED&token=damaged" },
  "/consent": { search: "?purpose=terms&version=1" },
  "/payments/:id": { from: "/account/payments" },
  "/admin/members/:id": { from: "/admin" },
}

/** All pages with an address for these audiences. A sign-out needs a member. */
export function pagesFor(audiences: string[]) {
  return pages
    .filter(({ path }) => reached[path]?.isNoPage !== true)
    .filter(({ audience, path }) => audiences.includes(path === "/sign-out" ? "member" : audience))
}

/** Opens the page; a page that leads elsewhere at once needs its line of `reached`. */
export async function openPage(tab: Tab, origin: string, path: string) {
  const { search = "", from } = reached[path] ?? {}
  const start = path === "/verify/prove" ? "/verify" : path
  await tab.goto(`${origin}${from ?? start}${search}`)
  // A typed address could be a link in an email, so the page asks for a click first.
  if (path.startsWith("/admin")) await tab.locator("main a.button").click()
  if (from !== undefined) {
    await tab.locator(".rows a").first().click()
    await tab.waitForURL((url) => url.pathname !== from)
  }
  const pathPattern = new RegExp(`^${path.replaceAll(/:\w+/g, "\\w+")}$`)
  expect(new URL(tab.url()).pathname).toMatch(pathPattern)
}

/** Looks at what is shown, at both widths. */
export async function judge(tab: Tab, state: string) {
  for (const width of widths) {
    await tab.setViewportSize({ width, height: 800 })
    const name = `${state.replaceAll(/\W+/g, "-")}-${width}.png`
    if (shots !== undefined) await tab.screenshot({ path: join(shots, name), fullPage: true })
    const isWide = "document.documentElement.scrollWidth > window.innerWidth"
    expect({ state, width, isWide: await tab.evaluate(isWide) }).toEqual({
      state,
      width,
      isWide: false,
    })
  }
  await tab.evaluate(axe.source)
  const violations = await tab.evaluate(
    "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))",
  )
  expect({ state, found: violations }).toEqual({ state, found: [] })
}

/**
 * Sends each form that needs something without it: the page shows it again, with words at a field. Returns
 * how many; a link that is damaged leads to another page before any field is read.
 */
export async function refuseForms(tab: Tab, see: (act: string) => Promise<void>) {
  const { pathname } = new URL(tab.url())
  const acts = await tab.evaluate<string[]>(
    "[...document.querySelectorAll('form[method=post]:has(input[required]) button')].map(({ value }) => value)",
  )
  let refused = 0
  for (const act of new Set(acts)) {
    const loaded = tab.waitForEvent("load")
    await tab.evaluate(`(() => {
      const button = document.querySelector('form[method=post]:has(input[required]) button[value="${act}"]')
      button.form.noValidate = true
      for (const input of button.form.querySelectorAll("input[required]")) input.value = ""
      button.click()
    })()`)
    await loaded
    if (new URL(tab.url()).pathname !== pathname) break
    await tab.getByRole("alert").first().waitFor()
    await see(act)
    refused += 1
  }
  return refused
}

/** Opens the newest member, and looks at what is said before each act that takes something away; keeps all of it. */
export async function confirmActs(tab: Tab, origin: string, see: (act: string) => Promise<void>) {
  const open = async () => {
    await openPage(tab, origin, "/admin/members/:id")
    return tab.evaluate<string[]>(
      "[...document.querySelectorAll('.acts button')].filter(({ textContent }) => textContent.endsWith('…')).map(({ value }) => value)",
    )
  }
  const acts = await open()
  expect(acts.length).toBeGreaterThan(5)
  for (const act of acts) {
    await tab.locator(`.acts button[value=${act}]`).click()
    await tab.locator("button.grave.main").waitFor()
    expect(await tab.locator("main strong").first().textContent()).toContain("@example.com")
    await see(act)
    await tab.locator(".both a").click()
    await tab.locator(`.acts button[value=${act}]`).waitFor()
  }
}

const focusable = "a[href], button, input:not([type=hidden]), select, summary, [tabindex='0']"

/** Reaches every link, button and field by the tab key, and expects a visible focus. */
export async function expectKeyboard(tab: Tab, state: string) {
  const count = await tab.evaluate<number>(
    `globalThis.all = [...document.querySelectorAll("${focusable}")].filter((one) => one.checkVisibility()); all.length`,
  )
  const visited = new Set<number>()
  // A date has several stops: its day, month and year.
  for (let times = 0; times <= count * 2 && visited.size < count; times += 1) {
    await tab.keyboard.press("Tab")
    const [at, style] = await tab.evaluate<[number, string]>(
      "[all.indexOf(document.activeElement), getComputedStyle(document.activeElement).outlineStyle]",
    )
    if (at === -1) continue
    visited.add(at)
    expect({ state, at, style }).toEqual({ state, at, style: "solid" })
  }
  expect({ state, seen: visited.size }).toEqual({ state, seen: count })
}
