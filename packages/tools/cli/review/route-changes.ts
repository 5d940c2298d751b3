import * as z from "zod"

/** By route and by what is asked of each: who may call it, its limits, its audit entry. */
const Routes = z.record(z.string(), z.record(z.string(), z.string()))

/** A test writes it from what the service does. */
export const routesPath = "docs/routes.json"

export type RouteChange = {
  route: string
  kind: "new" | "gone" | "changed"
  /** Of a new route all of them, of one that is gone none. */
  facts: { fact: string; before: string | undefined; after: string | undefined }[]
}

/** What a branch changes of what each route does, by the file that a test keeps up to date. */
export function routeChanges(before: string | undefined, after: string | undefined): RouteChange[] {
  const [old, now] = [parse(before), parse(after)]
  const routes = new Set([...Object.keys(old), ...Object.keys(now)])
  return [...routes].toSorted().flatMap((route): RouteChange[] => {
    const [was, is] = [old[route], now[route]]
    if (is === undefined) return [{ route, kind: "gone", facts: [] }]
    const names = new Set([...Object.keys(was ?? {}), ...Object.keys(is)])
    const facts = [...names]
      .map((fact) => ({ fact, before: was?.[fact], after: is[fact] }))
      .filter((one) => one.before !== one.after)
    if (facts.length === 0) return []
    return [{ route, kind: was === undefined ? "new" : "changed", facts }]
  })
}

function parse(text: string | undefined) {
  return text === undefined ? {} : Routes.parse(JSON.parse(text))
}
