import { createReadStream, readdirSync } from "node:fs"
import { join } from "node:path"

import { createContractCheck, type Violation } from "./contract-check.ts"
import { operationName, readRoutes } from "./coverage.ts"
import { Exchange } from "./exchange.ts"
import { findExplanation, knownDifferences, undocumentedRoutes } from "./known-differences.ts"
import { describeOpenapi } from "./openapi-description.ts"
import { createOperationLookup } from "./operation-lookup.ts"
import { describeSdk } from "./sdk-description.ts"

export type RecordingReview = {
  exchanges: number
  /** How many the local Cloudflare has. */
  routes: number
  /** Without duplicates. */
  unexplained: Violation[]
  /** Routes without a successful request. */
  idle: string[]
  /** Entries of the tables of known differences that explained nothing. */
  stale: string[]
}

export async function reviewRecording(
  directory: string,
  openapiFile: string | undefined,
): Promise<RecordingReview> {
  const descriptions = openapiFile ? [describeSdk(), describeOpenapi(openapiFile)] : [describeSdk()]
  const check = createContractCheck(descriptions)
  const unexplained = new Map<string, Violation>()
  const used = new Set<unknown>()
  let exchanges = 0
  const requestKeys = new Set<string>()
  const files = readdirSync(directory)
  // The tests of a run may not start any local Cloudflare.
  const routes = files.length === 0 ? [] : readRoutes(directory)
  const find = createOperationLookup(routes)
  for (const file of files.filter((name) => name.endsWith(".ndjson"))) {
    for await (const line of linesOf(join(directory, file))) {
      exchanges += 1
      const exchange = Exchange.parse(JSON.parse(line))
      const route = find(exchange.method, exchange.path.replace("/client/v4", ""))
      // Some routes always answer 405.
      const isAnswered = exchange.status < 400 || exchange.status === 405
      if (route && isAnswered) requestKeys.add(operationName(route))
      for (const violation of check(exchange)) {
        const explanation = findExplanation(violation)
        if (explanation) used.add(explanation)
        else unexplained.set(formatViolation(violation), violation)
      }
    }
  }
  const judged = knownDifferences.filter(
    ({ source }) => openapiFile !== undefined || source !== "openapi",
  )
  return {
    exchanges,
    routes: routes.length,
    idle: routes.map(operationName).filter((name) => !requestKeys.has(name)),
    unexplained: [...unexplained.values()],
    stale: [
      ...judged.filter((difference) => !used.has(difference)).map(({ evidence }) => evidence),
      ...undocumentedRoutes
        .filter(
          (undocumentedRoute) =>
            !used.has(undocumentedRoute) && !(openapiFile && undocumentedRoute.only === "openapi"),
        )
        .map(({ route }) => route.source),
    ],
  }
}

/** Complete lines only: a killed process may leave half of its last one. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = ""
  for await (const chunk of createReadStream(file, "utf8")) {
    const parts = `${rest}${chunk}`.split("\n")
    rest = parts.pop() ?? ""
    yield* parts
  }
}

export function formatViolation({
  source,
  operation,
  place,
  pointer,
  problem,
  userAgent,
}: Violation) {
  return `${operation}: ${place} ${pointer} ${problem} (${source}; sent by ${userAgent || "?"})`
}
