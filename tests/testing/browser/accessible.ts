import axe from "axe-core"
import type { Page } from "playwright-core"
import { expect } from "vitest"

/** Checks all default rules of axe. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source)
  const violations = await page.evaluate(async () => {
    const found: typeof axe = Reflect.get(globalThis, "axe")
    const results = await found.run()
    return results.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
  })
  expect(violations).toEqual([])
}
