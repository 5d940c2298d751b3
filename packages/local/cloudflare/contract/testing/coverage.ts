import { readFileSync } from "node:fs"

import type { ApiDescription, Operation } from "./api-description.ts"
import { undocumentedRoutes } from "./known-differences.ts"
import { Routes, routesFile } from "./recorder.ts"

export function readRoutes(directory: string): Routes {
  return Routes.parse(JSON.parse(readFileSync(routesFile(directory), "utf8")))
}

const products: [string, RegExp][] = [
  ["D1", /\/d1\//],
  ["Workers and their versions", /\/workers\/workers/],
  ["Scripts, as wrangler has them", /\/workers\/scripts/],
  ["Domains, routes, subdomain", /\/workers\//],
  ["Zones and DNS", /^\/zones/],
  ["Accounts and users", /^\/(?:accounts|memberships|user)/],
]

export type Coverage = {
  product: string
  /** Routes of the local Cloudflare, and how many of them no description has. */
  routes: { all: number; undocumented: number }
  /** By name of the description. */
  operations: Record<string, { all: number; implemented: number }>
}

export function measureCoverage(routes: Routes, descriptions: ApiDescription[]): Coverage[] {
  const implemented = new Set(routes.map(operationName))
  return products.map(([product]) => {
    const productRoutes = routes.filter((route) => productOf(route) === product)
    return {
      product,
      routes: {
        all: productRoutes.length,
        undocumented: productRoutes.filter((route) => isUndocumented(operationName(route))).length,
      },
      operations: Object.fromEntries(
        descriptions.map(({ name, operations }) => {
          const names = namesOf(operations.filter((operation) => productOf(operation) === product))
          const implementedNames = names.filter((operation) => implemented.has(operation))
          return [name, { all: names.length, implemented: implementedNames.length }]
        }),
      ),
    }
  })
}

export function missingOperations(routes: Routes, descriptions: ApiDescription[]): string[] {
  const implemented = new Set(routes.map(operationName))
  const described = namesOf(descriptions.flatMap(({ operations }) => operations))
  return described.filter((name) => !implemented.has(name)).toSorted()
}

/** For example `GET /accounts/{}/d1/database`. */
export function operationName({ method, path }: { method: string; path: string }): string {
  return `${method} ${path}`
}

function isUndocumented(name: string): boolean {
  return undocumentedRoutes.some(({ route, only }) => only === undefined && route.test(name))
}

/** Without duplicates: the SDK calls some operations in two ways. */
function namesOf(operations: Operation[]): string[] {
  return [...new Set(operations.map(operationName))]
}

function productOf({ path }: { path: string }): string | undefined {
  return products.find(([, pattern]) => pattern.test(path))?.[0]
}

export function renderCoverage(rows: Coverage[]): string {
  const sources = Object.keys(rows[0]?.operations ?? {})
  const sum = (pick: (row: Coverage) => number) =>
    rows.reduce((subtotal, row) => subtotal + pick(row), 0)
  const total = {
    product: "**All**",
    routes: {
      all: sum(({ routes }) => routes.all),
      undocumented: sum(({ routes }) => routes.undocumented),
    },
    operations: Object.fromEntries(
      sources.map((source) => [
        source,
        {
          all: sum(({ operations }) => operations[source]?.all ?? 0),
          implemented: sum(({ operations }) => operations[source]?.implemented ?? 0),
        },
      ]),
    ),
  }
  const cells = [
    [
      "Product",
      "Routes here",
      "Undocumented",
      ...sources.map((source) => titles[source] ?? source),
    ],
    ...[...rows, total].map(({ product, routes, operations }) =>
      [product, String(routes.all), String(routes.undocumented)].concat(
        Object.values(operations).map(({ implemented, all }) => `${implemented} of ${all}`),
      ),
    ),
  ]
  return table(cells)
}

const titles: Record<string, string> = { sdk: "Of the SDK", openapi: "Of the OpenAPI document" }

function table(cells: string[][]): string {
  const [head = []] = cells
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const lines = cells.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`,
  )
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`
  return [lines[0], rule, ...lines.slice(1)].join("\n")
}
