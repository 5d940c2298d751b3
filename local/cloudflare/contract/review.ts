import { createReadStream, readdirSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"

import { createContract, type Violation } from "./contract.ts"
import { Exchange } from "./exchange.ts"
import { explanation, known, undocumented } from "./known.ts"
import { describeOpenapi } from "./openapi.ts"
import { describeSdk } from "./sdk.ts"

export type Review = {
  exchanges: number
  /** Each once, however often it was seen. */
  unexplained: Violation[]
  /** Entries of the tables that explained nothing. */
  stale: string[]
}

/** Holds a recording to the SDK, and to the OpenAPI document that `openapi` names. */
export async function review(directory: string, openapi: string | undefined): Promise<Review> {
  const descriptions = openapi ? [describeSdk(), describeOpenapi(openapi)] : [describeSdk()]
  const check = createContract(descriptions)
  const unexplained = new Map<string, Violation>()
  const used = new Set<unknown>()
  let exchanges = 0
  for (const file of readdirSync(directory)) {
    for await (const line of createInterface({ input: createReadStream(join(directory, file)) })) {
      exchanges += 1
      for (const violation of check(Exchange.parse(JSON.parse(line)))) {
        const found = explanation(violation)
        if (found) used.add(found)
        else unexplained.set(describe(violation), violation)
      }
    }
  }
  const judged = known.filter(({ source }) => openapi !== undefined || source !== "openapi")
  return {
    exchanges,
    unexplained: [...unexplained.values()],
    stale: [
      ...judged.filter((one) => !used.has(one)).map(({ evidence }) => evidence),
      ...undocumented.filter((one) => !used.has(one)).map(({ route }) => route.source),
    ],
  }
}

export function describe({ source, operation, place, pointer, problem, userAgent }: Violation) {
  return `${operation}: ${place} ${pointer} ${problem} (${source}; sent by ${userAgent || "?"})`
}
