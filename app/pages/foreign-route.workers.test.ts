import { expect, test, vi } from "vitest"

test("a route beside /api/ is never shadowed by the pages, which serve all other paths", async () => {
  // The worker mounts these routes when it loads, so it loads again after two are added.
  vi.resetModules()
  const { documentation } = await import("../service/openapi/openapi-routes.ts")
  documentation.get("/hooks/mail", (context) => context.text("an adopter's own"))
  documentation.post("/account/plan", (context) => context.text("where a page is as well"))
  const { bind } = await import("../testing/browser.ts")
  const { createReader } = await import("../testing/page-reader.ts")
  const { browser, open, post } = createReader(bind({ PAGES: "true" }))

  expect(await (await browser.get("/hooks/mail")).text()).toBe("an adopter's own")
  expect(await (await post("/account/plan", {})).text()).toBe("where a page is as well")
  expect((await open("/hooks/other")).text).toContain("There is no such page")
  expect((await open("/account/plan")).at).toMatch(/^\/sign-in/)
  expect(await (await browser.get("/api/hooks")).json()).toMatchObject({ code: "NOT_FOUND" })
})
