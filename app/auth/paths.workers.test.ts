import { expect, test } from "vitest"

import { servicesOf } from "../services.ts"
import { bind } from "../testing/browser.ts"
import { disabledPaths, openPaths } from "./paths.ts"

test("every path of the authentication library is either offered or disabled", () => {
  const auth = servicesOf(bind())?.auth
  const served = Object.values(auth?.api ?? {}).flatMap((endpoint) =>
    "path" in endpoint && typeof endpoint.path === "string" ? [endpoint.path] : [],
  )
  expect(served.length).toBeGreaterThan(20)
  expect([...Object.keys(openPaths), ...disabledPaths].toSorted()).toEqual(
    [...new Set(served)].toSorted(),
  )
})
