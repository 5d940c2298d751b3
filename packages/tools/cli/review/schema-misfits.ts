import * as z from "zod"

/** What of a JSON Schema says which values are allowed. A test shows that nothing else is needed. */
export const Schema = z.looseObject({
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
export type Schema = z.infer<typeof Schema>

/** `rule` is what the target allows less of. */
export type Misfit = {
  path: string
  rule: string
  value?: string | undefined
  target?: string | undefined
}

type Fitting = { value: Schema; target: Schema; path?: string }

/** Why a value of one schema may be none of another. */
export function misfits({ value, target, path = "" }: Fitting): Misfit[] {
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
  if (isOther) return [{ path, rule: "kind", value: text(value.type), target: text(target.type) }]
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

function text(value: unknown): string | undefined {
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
  return isWider ? [] : [{ path, rule, value: text(given), target: text(bound) }]
}
