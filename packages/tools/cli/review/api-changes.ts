import * as z from "zod"

import { parseJson } from "../../deploy/api.ts"

/** JSON Schema keywords that restrict values in the API's description. A test shows that it uses no others. */
const Schema = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  format: z.string().optional(),
  pattern: z.string().optional(),
  required: z.array(z.string()).default([]),
  get properties() {
    return z.record(z.string(), Schema).optional()
  },
  get items() {
    return Schema.optional()
  },
  get additionalProperties() {
    return z.union([z.boolean(), Schema]).optional()
  },
  get anyOf() {
    return z.array(Schema).optional()
  },
  get oneOf() {
    return z.array(Schema).optional()
  },
})
type Schema = z.infer<typeof Schema>

/** `rule` is the keyword in which the target is narrower. */
type Misfit = {
  path: string
  rule: string
  value?: string | undefined
  target?: string | undefined
}

type Fitting = { value: Schema; target: Schema; path?: string }

/** Lists why a value of one schema may be invalid in another. */
function misfits({ value, target, path = "" }: Fitting): Misfit[] {
  const fit = (schema: Schema, allowedSchema: Schema, at = path) =>
    misfits({ value: schema, target: allowedSchema, path: at })
  const [from, to] = [alternativesOf(value), alternativesOf(target)]
  if (from.length > 1 || to.length > 1) {
    return from.flatMap((alternative) => {
      const attempts = to.map((option) => fit(alternative, option))
      // Reports the closest alternative.
      return (
        attempts.toSorted(
          (attempt, nextAttempt) => distanceOf(attempt) - distanceOf(nextAttempt),
        )[0] ?? []
      )
    })
  }
  const [kinds, allowed] = [kindsOf(value), kindsOf(target)]
  const isOther = !allowed.includes("any") && kinds.some((kind) => !allowed.includes(kind))
  if (isOther) {
    return [{ path, rule: "kind", value: textOf(value.type), target: textOf(target.type) }]
  }
  const [valueProperties, targetProperties] = [value.properties ?? {}, target.properties ?? {}]
  return [
    ...listed(value, target, path),
    ...bounds.flatMap((rule) => narrower(rule, { value, target, path })),
    ...target.required
      .filter((name) => !value.required.includes(name))
      .map((name) => ({
        path: join(path, name),
        rule: "required",
        value: valueProperties[name] === undefined ? undefined : "optional",
      })),
    ...Object.keys(valueProperties)
      .filter((name) => targetProperties[name] === undefined)
      .filter(() => target.additionalProperties === false)
      .map((name) => ({ path: join(path, name), rule: "unknown" })),
    ...Object.entries(targetProperties).flatMap(([name, allowedProperty]) => {
      const property = valueProperties[name]
      return property === undefined ? [] : fit(property, allowedProperty, join(path, name))
    }),
    ...(value.items && target.items ? fit(value.items, target.items, `${path}[]`) : []),
    ...(typeof value.additionalProperties === "object" &&
    typeof target.additionalProperties === "object"
      ? fit(value.additionalProperties, target.additionalProperties, join(path, "*"))
      : []),
  ]
}

/** Joins a path and a name, without a leading `body`. */
function join(path: string, name: string): string {
  return path === "" || path === "body" ? name : `${path}.${name}`
}

function distanceOf(list: Misfit[]): number {
  return list.some(({ rule }) => rule === "kind") ? Number.MAX_SAFE_INTEGER : list.length
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" || value === undefined ? value : JSON.stringify(value)
}

function alternativesOf(schema: Schema): Schema[] {
  return schema.anyOf ?? schema.oneOf ?? [schema]
}

function kindsOf({ type = "any" }: Schema): string[] {
  // A schema that allows numbers allows integers.
  return [type].flat().flatMap((kind) => (kind === "number" ? ["number", "integer"] : [kind]))
}

function valuesOf(schema: Schema): unknown[] | undefined {
  return schema.const === undefined ? schema.enum : [schema.const]
}

function listed(value: Schema, target: Schema, path: string): Misfit[] {
  const [values, allowed] = [valuesOf(value), valuesOf(target)]
  if (allowed === undefined) return []
  if (values === undefined) return [{ path, rule: "values", target: allowed.join() }]
  const refused = values.filter((candidate) => !allowed.includes(candidate))
  return refused.length === 0 ? [] : [{ path, rule: "values", value: refused.join() }]
}

const bounds = [
  "minLength",
  "minimum",
  "minItems",
  "exclusiveMinimum",
  "maxLength",
  "maximum",
  "maxItems",
  "exclusiveMaximum",
  "pattern",
  "format",
] as const

function narrower(
  rule: (typeof bounds)[number],
  { value, target, path }: { value: Schema; target: Schema; path: string },
): Misfit[] {
  const [limit, bound] = [value[rule], target[rule]]
  if (bound === undefined || limit === bound) return []
  const areNumbers = typeof limit === "number" && typeof bound === "number"
  const isWider = areNumbers && (/min/i.test(rule) ? limit > bound : limit < bound)
  return isWider ? [] : [{ path, rule, value: textOf(limit), target: textOf(bound) }]
}

/** Path of the API's description. */
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

/** Finds what clients of the API lose: input that is no longer accepted, and output that is no longer there. */
export function apiChanges(before: string | undefined, after: string | undefined): ApiChange[] {
  if (before === undefined || before === after) return []
  const [old, now] = [describedIn(before), describedIn(after)]
  if (old === undefined) return []
  if (now === undefined) return [{ operation: descriptionPath, loses: "cannot be read" }]
  const operations = operationsOf(now)
  return [...operationsOf(old)].flatMap(([route, oldOperation]) => {
    const is = operations.get(route)
    const operation = oldOperation.operationId ?? route
    if (is === undefined) return [{ operation, loses: "is gone" }]
    const lost = [
      ...misfits({ value: sentOf(oldOperation), target: sentOf(is) }).map(sentWords),
      ...misfits({ value: answeredOf(is), target: answeredOf(oldOperation) }).map(answeredWords),
    ]
    return [...new Set(lost)].map((loses) => ({ operation, loses }))
  })
}

function describedIn(text: string | undefined): Description | undefined {
  return Description.safeParse(parseJson(text ?? "")).data
}

function operationsOf({ paths }: Description): Map<string, Operation> {
  return new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [
        `${method.toUpperCase()} ${path}`,
        operation,
      ]),
    ),
  )
}

const anything = Schema.parse({})

/** Returns parameters and body as one object schema without other properties. */
function sentOf({ parameters, requestBody }: Operation): Schema {
  const body = bodyOf(requestBody?.content)
  const inputs = parameters.filter((parameter) => parameter.in !== "header")
  const properties = Object.fromEntries(
    inputs.map(({ name, schema = anything }) => [name, schema] as const),
  )
  const required = inputs.filter((input) => input.required).map(({ name }) => name)
  const request = { ...anything, type: "object", properties, required, additionalProperties: false }
  if (body === undefined) return request
  return {
    ...request,
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
