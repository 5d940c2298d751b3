import type { BrowserContext } from "playwright-core"
import { expect, test } from "vitest"

import { browserMissing, fetchFrom, openBrowser, openSite } from "./testing/browser/browser.ts"
import { openConsoleSite, openTab } from "./testing/browser/console-site.ts"

const missing = await browserMissing()
const note = missing ? ` skipped: ${missing}` : ""

async function signedInKey(context: BrowserContext, link: string): Promise<string> {
  const page = await context.newPage()
  await page.goto(link)
  await page.getByRole("heading", { level: 1, name: "Requests" }).waitFor()
  return page.evaluate(() => sessionStorage.getItem("console-key") ?? "")
}

test.skipIf(missing !== undefined)(
  `[browser]${note} in a signed-in browser, pages of other origins and rebound names get nothing`,
  async () => {
    await using browser = await openBrowser("MAP rebound.test 127.0.0.1")
    await using shown = await openConsoleSite()
    const { origin } = shown
    await using tab = await openTab(browser)
    const { page, context } = tab
    const authorization = `Bearer ${await signedInKey(context, await shown.link())}`
    const paths = ["/local/status", "/local/log", "/local/console/workers", "/console/main.js"]
    await using site = await openSite()
    for (const name of ["127.0.0.1", "localhost", "evil.localhost"]) {
      await page.goto(`http://${name}:${site.port}/`)
      expect(await page.evaluate("sessionStorage.length + document.cookie.length")).toBe(0)
      for (const path of paths) {
        for (const attempt of [
          { mode: "no-cors", credentials: "include" },
          { mode: "cors", credentials: "include" },
          { headers: { authorization } },
        ] as const) {
          expect([
            name,
            path,
            await fetchFrom(page, { url: `${origin}${path}`, ...attempt }),
          ]).toEqual([name, path, "nothing"])
        }
      }
      await page.setContent(`<iframe src="${origin}/"></iframe>`)
      // The browser's error page, because the console refuses to be framed.
      await expect.poll(() => page.frames().at(-1)?.url()).toMatch(/^chrome-error:/)
    }
    const rebound = origin.replace("127.0.0.1", "rebound.test")
    await page.goto(rebound)
    for (const path of paths) {
      expect(
        await fetchFrom(page, { url: `${rebound}${path}`, headers: { authorization } }),
      ).toMatchObject({ status: 403, text: expect.stringContaining("Only loopback hosts") })
    }
  },
)
