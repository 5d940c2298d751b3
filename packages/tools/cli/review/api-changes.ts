import * as z from "zod"

import { parseJson } from "../../deploy/api.ts"

/** What of a JSON Schema says which values are allowed. A test shows that nothing else is needed. */
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

/** `rule` is what the target allows less of. */
type Misfit = {
  path: string
  rule: string
  value?: string | undefined
  target?: string | undefined
}

type Fitting = { value: Schema; target: Schema; path?: string }

/** Why a value of one schema may be none of another. */
function misfits({ value, target, path = "" }: Fitting): Misfit[] {
  const fit = (one: Schema, other: Schema, at = path) =>
    misfits({ value: one, target: other, path: at })
  const [from, to] = [alternativesOf(value), alternativesOf(target)]
  if (from.length > 1 || to.length > 1) {
    return from.flatMap((one) => {
      const tried = to.map((other) => fit(one, other))
      // The nearest of them says what is wrong.
      return tried.toSorted((some, others) => distanceOf(some) - distanceOf(others))[0] ?? []
    })
  }
  const [kinds, allowed] = [kindsOf(value), kindsOf(target)]
  const isOther = !allowed.includes("any") && kinds.some((kind) => !allowed.includes(kind))
  if (isOther) {
    return [{ path, rule: "kind", value: textOf(value.type), target: textOf(target.type) }]
  }
  const [held, known] = [value.properties ?? {}, target.properties ?? {}]
  return [
    ...listed(value, target, path),
    ...bounds.flatMap((rule) => narrower(rule, { value, target, path })),
    ...target.required
      .filter((name) => !value.required.includes(name))
      .map((name) => ({
        path: join(path, name),
        rule: "required",
        value: held[name] === undefined ? undefined : "optional",
      })),
    ...Object.keys(held)
      .filter((name) => known[name] === undefined)
      .filter(() => target.additionalProperties === false)
      .map((name) => ({ path: join(path, name), rule: "unknown" })),
    ...Object.entries(known).flatMap(([name, other]) => {
      const one = held[name]
      return one === undefined ? [] : fit(one, other, join(path, name))
    }),
    ...(value.items && target.items ? fit(value.items, target.items, `${path}[]`) : []),
    ...(typeof value.additionalProperties === "object" &&
    typeof target.additionalProperties === "object"
      ? fit(value.additionalProperties, target.additionalProperties, join(path, "*"))
      : []),
  ]
}

/** What is named is in the body but for its first word. */
function join(path: string, name: string): string {
  return path === "" || path === "body" ? name : `${path}.${name}`
}

function distanceOf(found: Misfit[]): number {
  return found.some(({ rule }) => rule === "kind") ? Number.MAX_SAFE_INTEGER : found.length
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" || value === undefined ? value : JSON.stringify(value)
}

function alternativesOf(schema: Schema): Schema[] {
  return schema.anyOf ?? schema.oneOf ?? [schema]
}

function kindsOf({ type = "any" }: Schema): string[] {
  // Where numbers are allowed, so are whole ones.
  return [type].flat().flatMap((kind) => (kind === "number" ? ["number", "integer"] : [kind]))
}

function valuesOf(schema: Schema): unknown[] | undefined {
  return schema.const === undefined ? schema.enum : [schema.const]
}

function listed(value: Schema, target: Schema, path: string): Misfit[] {
  const [given, allowed] = [valuesOf(value), valuesOf(target)]
  if (allowed === undefined) return []
  if (given === undefined) return [{ path, rule: "values", target: allowed.join() }]
  const more = given.filter((one) => !allowed.includes(one))
  return more.length === 0 ? [] : [{ path, rule: "values", value: more.join() }]
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
  const [given, bound] = [value[rule], target[rule]]
  if (bound === undefined || given === bound) return []
  const both = typeof given === "number" && typeof bound === "number"
  const isWider = both && (/min/i.test(rule) ? given > bound : given < bound)
  return isWider ? [] : [{ path, rule, value: textOf(given), target: textOf(bound) }]
}

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
  const [old, now] = [describedIn(before), describedIn(after)]
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

function describedIn(text: string | undefined): Description | undefined {
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
  const given = parameters.filter((parameter) => parameter.in !== "header")
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
