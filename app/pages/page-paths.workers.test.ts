import { expect, test } from "vitest"

import { pagePaths } from "../page-paths.ts"
import { pages } from "../pages.ts"

test("beside a front end the Worker takes a path for each page and no other, and leaves / to it", () => {
  const paths = pages.map(({ path }) => path).filter((path) => path !== "/")
  const isBelow = (path: string, begin: string) => path === begin || path.startsWith(`${begin}/`)
  const unreached = paths.filter((path) => !pagePaths.some((begin) => isBelow(path, begin)))
  const unused = pagePaths.filter((begin) => !paths.some((path) => isBelow(path, begin)))
  expect({ unreached, unused }).toEqual({ unreached: [], unused: [] })
})
