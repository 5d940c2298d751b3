import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

import * as z from "zod"

/** By route and by what is asked of each: who may call it, its limits, its audit entry. */
const Routes = z.record(z.string(), z.record(z.string(), z.string()))

/** A test writes it from what the service does. */
const path = "docs/routes.json"

export type RouteChange = {
  route: string
  fact: string
  before: string | undefined
  after: string | undefined
}

/** What a branch changes of what each route does, by the file that a test keeps up to date. */
export function routeChanges(
  root: string,
  read: (path: string) => Buffer | undefined,
): RouteChange[] {
  const file = join(root, path)
  const before = parse(read(path)?.toString())
  const after = parse(existsSync(file) ? readFileSync(file, "utf8") : undefined)
  const routes = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...routes].toSorted().flatMap((route) => {
    const [old = {}, now = {}] = [before[route], after[route]]
    const facts = new Set([...Object.keys(old), ...Object.keys(now)])
    return [...facts].flatMap((fact) =>
      old[fact] === now[fact] ? [] : [{ route, fact, before: old[fact], after: now[fact] }],
    )
  })
}

function parse(text: string | undefined) {
  return text === undefined ? {} : Routes.parse(JSON.parse(text))
}
