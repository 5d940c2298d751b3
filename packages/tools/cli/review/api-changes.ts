import * as z from "zod"

import { parseJson } from "../../deploy/parse-json.ts"
import { type Misfit, misfits, Schema } from "./schema-misfits.ts"

/** Where the service keeps its description. */
export const descriptionPath = "app/service/openapi/openapi.json"

const Content = z.record(z.string(), z.object({ schema: Schema.optional() }))
const Operation = z.object({
  operationId: z.string().optional(),
  parameters: z
    .array(
      z.object({
        name: z.string(),
        in: z.string(),
        required: z.boolean().default(false),
        schema: Schema.optional(),
      }),
    )
    .default([]),
  requestBody: z.object({ required: z.boolean().default(false), content: Content }).optional(),
  responses: z.record(z.string(), z.object({ content: Content.optional() })).default({}),
})
type Operation = z.infer<typeof Operation>

const Description = z.object({ paths: z.record(z.string(), z.record(z.string(), Operation)) })
type Description = z.infer<typeof Description>

export type ApiChange = { operation: string; loses: string }

/** What those who call the API lose: what they send and is refused, what they read and is not there. */
export function apiChanges(before: string | undefined, after: string | undefined): ApiChange[] {
  if (before === undefined || before === after) return []
  const [old, now] = [parse(before), parse(after)]
  if (old === undefined) return []
  if (now === undefined) return [{ operation: descriptionPath, loses: "cannot be read" }]
  const operations = operationsOf(now)
  return [...operationsOf(old)].flatMap(([route, was]) => {
    const is = operations.get(route)
    const operation = was.operationId ?? route
    if (is === undefined) return [{ operation, loses: "is gone" }]
    const lost = [
      ...misfits({ value: sentOf(was), target: sentOf(is) }).map(sentWords),
      ...misfits({ value: answeredOf(is), target: answeredOf(was) }).map(answeredWords),
    ]
    return [...new Set(lost)].map((loses) => ({ operation, loses }))
  })
}

function parse(text: string | undefined): Description | undefined {
  return Description.safeParse(parseJson(text ?? "")).data
}

function operationsOf({ paths }: Description): Map<string, Operation> {
  return new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, one]) => [`${method.toUpperCase()} ${path}`, one]),
    ),
  )
}

const anything = Schema.parse({})

/** Parameters and body as one object, which takes nothing else. */
function sentOf({ parameters, requestBody }: Operation): Schema {
  const body = bodyOf(requestBody?.content)
  const given = parameters.filter((one) => one.in !== "header")
  const properties = Object.fromEntries(
    given.map(({ name, schema = anything }) => [name, schema] as const),
  )
  const required = given.filter((one) => one.required).map(({ name }) => name)
  const sent = { ...anything, type: "object", properties, required, additionalProperties: false }
  if (body === undefined) return sent
  return {
    ...sent,
    properties: { ...properties, body },
    required: requestBody?.required === true ? [...required, "body"] : required,
  }
}

function answeredOf({ responses }: Operation): Schema {
  const good = Object.entries(responses).find(([status]) => status.startsWith("2"))
  return bodyOf(good?.[1].content) ?? anything
}

function bodyOf(content: z.infer<typeof Content> | undefined): Schema | undefined {
  return content?.["application/json"]?.schema
}

function sentWords({ path: at, rule, value, target }: Misfit): string {
  const path = at || "the request"
  if (rule === "unknown") return `no longer takes ${path}`
  if (rule === "required") return `requires ${path}`
  if (rule === "kind") return `takes ${path} as ${target}, not ${value}`
  if (rule !== "values") return `takes ${path} with ${rule} ${target}, not ${value ?? "any"}`
  return value === undefined
    ? `takes ${path} only as ${target}`
    : `no longer takes ${path} ${value}`
}

function answeredWords({ path: at, rule, value, target }: Misfit): string {
  const path = at || "the answer"
  if (rule === "required") {
    return value === undefined ? `no longer answers ${path}` : `may leave ${path} out`
  }
  if (rule === "kind") return `answers ${path} as ${value}, not ${target}`
  if (rule !== "values") return `answers ${path} with ${rule} ${value ?? "any"}, not ${target}`
  return `may answer ${path} ${value ?? `with more than ${target}`}`
}
