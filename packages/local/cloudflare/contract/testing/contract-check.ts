import {
  failureEnvelope,
  type ApiDescription,
  type Operation,
  type Schema,
} from "./api-description.ts"
import type { Body, Exchange } from "./exchange.ts"
import { createOperationLookup } from "./operation-lookup.ts"
import { createSchemaComparison, type Difference } from "./schema-differences.ts"

type Place = "route" | "query" | "request" | "response"

export type Violation = Difference & {
  /** Name of the description; `none` for a route that no description has. */
  source: string
  /** For example `GET /accounts/{}/d1/database`. */
  operation: string
  place: Place
  userAgent: string
}

export function createContractCheck(
  descriptions: ApiDescription[],
): (exchange: Exchange) => Violation[] {
  const documents = Object.fromEntries(
    descriptions.map(({ name, definitions }) => [name, { definitions }]),
  )
  const compare = createSchemaComparison(documents)
  const compareQuery = createSchemaComparison(documents, { coerceTypes: "array" })
  const tables = descriptions.map(({ name, operations }) => ({
    name,
    find: createOperationLookup(operations),
  }))

  function differences(operation: Operation, exchange: Exchange) {
    if (exchange.status >= 400) {
      return compareBody("response", failureOf(operation, exchange.status), exchange.response)
    }
    return [
      ...at("query", compareQuery(operation.query, queryObject(exchange.query))),
      ...compareBody("request", operation.request, exchange.request),
      ...compareBody("response", operation.response, exchange.response),
    ]
  }

  function compareBody(place: Place, schema: Schema | null, body: Body | null) {
    // Uploads have a part with JSON metadata; multipart responses contain only files.
    const files = place === "response" && body !== null && "parts" in body
    const value = files ? undefined : valueOf(body)
    if (schema !== null && value !== undefined) return at(place, compare(schema, value))
    if (schema === null && value === undefined) return []
    const problem =
      schema === null ? "has JSON, and none is described" : "has no JSON, and some is described"
    return [{ place, pointer: "", problem }]
  }

  return (exchange) => {
    const path = exchange.path.replace("/client/v4", "")
    const { method, userAgent } = exchange
    const matchingEntries = tables.flatMap(({ name, find }) => {
      const operation = find(method, path)
      return operation ? [{ name, operation }] : []
    })
    if (matchingEntries.length === 0) {
      // The tests themselves request unknown routes; no other client may.
      if (exchange.status >= 400 && userAgent === "node") return []
      const operation = `${method} ${withoutIds(path)}`
      const problem = `is in no description (answered ${exchange.status})`
      const place = "route" as const
      return [{ source: "none", operation, place, pointer: "", problem, userAgent }]
    }
    return matchingEntries.flatMap(({ name, operation }) =>
      differences(operation, exchange).map(({ place, pointer, problem }) => ({
        place,
        pointer,
        problem,
        source: name,
        operation: `${method} ${operation.path}`,
        userAgent,
      })),
    )
  }
}

/** A status without a description is allowed, but its body must be an error envelope. */
function failureOf({ failures }: Operation, status: number): Schema {
  return failures[status] ?? failures["4XX"] ?? failureEnvelope
}

function at(place: Place, differences: Difference[]) {
  return differences.map((difference) => ({ place, ...difference }))
}

/** A repeated parameter becomes a list. */
function queryObject(query: [string, string][]): Record<string, string | string[]> {
  const names = new Set(query.map(([name]) => name))
  const entries = [...names].map((name): [string, string | string[]] => {
    const values = query.flatMap(([parameter, value]) => (parameter === name ? [value] : []))
    const [only, ...furtherValues] = values
    return [name, only !== undefined && furtherValues.length === 0 ? only : values]
  })
  return Object.fromEntries(entries)
}

/**
 * The value to compare with a schema; undefined when the body is not JSON. Uploads have a part
 * `metadata` and files, which the descriptions call `files` whatever their names.
 */
function valueOf(body: Body | null): unknown {
  if (body === null) return undefined
  if (!("parts" in body)) return "json" in body ? body.json : undefined
  const metadata = body.parts.filter(({ name }) => name === "metadata")
  const otherParts = body.parts.filter(({ name }) => name !== "metadata").map(({ name }) => name)
  if (metadata.length === 0) {
    return Object.fromEntries(
      body.parts.map(({ name, content }) => [name, "json" in content ? content.json : ""]),
    )
  }
  return {
    ...Object.fromEntries(
      metadata.map(({ content }) => ["metadata", "json" in content ? content.json : ""]),
    ),
    ...(otherParts.length > 0 && { files: otherParts }),
  }
}

/** Ids in the path of an undescribed route differ in every run. */
function withoutIds(path: string): string {
  return path.replaceAll(
    /(?<=\/(?:accounts|zones|scripts|services|workers|by-consumer)\/)(?!(?:workers|accounts|scripts|services|tails|subdomain)(?:\/|$))[^/]+/g,
    "{}",
  )
}
