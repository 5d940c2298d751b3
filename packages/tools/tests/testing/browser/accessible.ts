import axe from "axe-core"
import type { Page } from "playwright-core"
import { expect } from "vitest"

/** Checks all default rules of axe. */
export async function expectAccessible(page: Page): Promise<void> {
  // A view without a load of its own has it already.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe.source)
  const violations = await page.evaluate(async () => {
    const found: typeof axe = Reflect.get(globalThis, "axe")
    // The same rules; only what they found right is not described.
    const results = await found.run({ resultTypes: ["violations"] })
    return results.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
  })
  expect(violations).toEqual([])
}
