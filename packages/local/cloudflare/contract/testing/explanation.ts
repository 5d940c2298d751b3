import type { Violation } from "./contract-check.ts"
import { knownDifferences } from "./known-differences.ts"
import { undocumentedRoutes } from "./undocumented-routes.ts"

export function findExplanation({ source, operation, place, pointer }: Violation) {
  const undocumented =
    place === "route" ? undocumentedRoutes.find(({ route }) => route.test(operation)) : undefined
  if (undocumented) return undocumented
  return knownDifferences.find(
    (one) =>
      (one.source ?? source) === source &&
      one.place === place &&
      one.operation.test(operation) &&
      one.pointer.test(pointer),
  )
}
