import { expect, test } from "vitest"

import { type Route, type RoutedScript, type RoutingTable, findTarget } from "./routing-table.ts"

const versions = [{ versionId: "0f0f0f0f-aaaa", percentage: 100 }]
function script(overrides: Partial<RoutedScript> = {}): RoutedScript {
  return {
    versions,
    workersDev: true,
    previews: true,
    uploaded: ["0f0f0f0f-aaaa", "deadbeef-bbbb"],
    ...overrides,
  }
}

const table: RoutingTable = {
  domains: new Map([
    ["shop.test", "shop"],
    ["orphan.test", "missing"],
  ]),
  routes: [],
  zones: new Map(),
  scripts: new Map([
    ["shop", script()],
    ["api", script()],
    ["quiet", script({ workersDev: false, previews: false })],
    ["deadbeef-shop", script()],
  ]),
}

function find(url: string, routes: Route[] = []) {
  const { protocol, hostname, pathname, search } = new URL(url)
  if (protocol !== "http:" && protocol !== "https:") throw new Error(url)
  const target = findTarget({ ...table, routes }, { protocol, hostname, pathname, search })
  return target && (target.versionId ? `${target.script} ${target.versionId}` : target.script)
}

test.for([
  ["http://shop.test/", "shop"],
  ["http://SHOP.test:8787/any/path?query", "shop"],
  ["http://www.shop.test/", undefined],
  ["http://unknown.test/", undefined],
  ["http://orphan.test/", undefined],
  ["http://api.accounts-local.workers.dev/", "api"],
  ["http://api.other.workers.dev/", undefined],
  ["http://quiet.accounts-local.workers.dev/", undefined],
  ["http://0f0f0f0f-api.accounts-local.workers.dev/", "api 0f0f0f0f-aaaa"],
  ["http://deadbeef-api.accounts-local.workers.dev/", "api deadbeef-bbbb"],
  ["http://deadbeef-shop.accounts-local.workers.dev/", "deadbeef-shop"],
  ["http://0f0f0f0f-quiet.accounts-local.workers.dev/", undefined],
  ["http://12345678-api.accounts-local.workers.dev/", undefined],
  ["http://feature-api.accounts-local.workers.dev/", undefined],
  ["http://accounts-local.workers.dev/", undefined],
] as const)("without routes %s is answered by %s", ([url, expected]) => {
  expect(find(url)).toBe(expected)
})

test.for([
  ["a route wins over a custom domain", ["shop.test/*"], "http://shop.test/", "shop.test/*"],
  [
    "a custom domain answers where no route matches",
    ["shop.test/api/*"],
    "http://shop.test/",
    "shop",
  ],
  [
    "a longer path wins",
    ["shop.test/*", "shop.test/api/*"],
    "http://shop.test/api/x",
    "shop.test/api/*",
  ],
  [
    "an exact path wins over its prefix",
    ["shop.test/a*", "shop.test/a"],
    "http://shop.test/a",
    "shop.test/a",
  ],
  ["an exact path matches nothing below it", ["shop.test/a"], "http://shop.test/a/b", "shop"],
  ["an exact path does not match with a query", ["shop.test/a"], "http://shop.test/a?b", "shop"],
  ["a wildcard matches a query", ["shop.test/a*"], "http://shop.test/a?b", "shop.test/a*"],
  [
    "a whole host wins over a wildcard",
    ["*.test/api/*", "x.test/*"],
    "http://x.test/api/",
    "x.test/*",
  ],
  ["a longer host wins", ["*.test/*", "*.b.test/*"], "http://a.b.test/", "*.b.test/*"],
  ["`*.` needs a subdomain", ["*.x.test/*"], "http://x.test/", undefined],
  ["`*` without a dot matches the host itself", ["*x.test/*"], "http://x.test/", "*x.test/*"],
  ["`*` without a dot matches any prefix", ["*x.test/*"], "http://max.test/", "*x.test/*"],
  ["a host without a path matches its root", ["x.test"], "http://x.test/", "x.test"],
  [
    "a host without a path matches nothing below its root",
    ["x.test"],
    "http://x.test/a",
    undefined,
  ],
  ["a scheme must match", ["https://x.test/*"], "http://x.test/", undefined],
  ["a scheme wins over none", ["x.test/*", "http://x.test/*"], "http://x.test/", "http://x.test/*"],
  ["hosts match in any case", ["X.Test/*"], "http://x.tEST/", "X.Test/*"],
  ["paths match in their case only", ["x.test/A"], "http://x.test/a", undefined],
] as const)("%s", ([, patterns, url, expected]) => {
  // Each route has its own script, named like its pattern.
  const scripts = new Map(table.scripts)
  for (const pattern of patterns) scripts.set(pattern, script())
  const routes = patterns.map((pattern) => ({ pattern, script: pattern }))
  for (const ordered of [routes, routes.toReversed()]) {
    const { protocol, hostname, pathname, search } = new URL(url)
    const destination = {
      protocol: protocol === "https:" ? protocol : "http:",
      hostname,
      pathname,
      search,
    } as const
    expect(findTarget({ ...table, scripts, routes: ordered }, destination)?.script).toBe(expected)
  }
})

test("a route without a script turns Workers off for the requests it matches", () => {
  const routes = [{ pattern: "shop.test/static/*", script: null }]
  expect(find("http://shop.test/static/logo.png", routes)).toBeUndefined()
  expect(find("http://shop.test/", routes)).toBe("shop")
})
