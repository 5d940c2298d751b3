import type { ErrorObject, Options } from "ajv"
import formats from "ajv-formats"
import { Ajv2019 } from "ajv/dist/2019.js"

import type { Schema } from "./api-description.ts"

/** Where a value differs from its schema. In the pointer, `*` stands for an index of an array. */
export type Difference = { pointer: string; problem: string }

type Reason = Difference & { weight: number }

export type SchemaComparison = (schema: Schema, value: unknown) => Difference[]

/** @param documents schemas by the name that references start with */
export function createSchemaComparison(
  documents: Record<string, Schema>,
  options: Options = {},
): SchemaComparison {
  const ajv = new Ajv2019({
    strict: false,
    allErrors: true,
    verbose: true,
    logger: false,
    // The OpenAPI document is not valid: it has a type `any` and repeats names in `required`.
    validateSchema: false,
    code: { optimize: false },
    ...options,
  })
  formats.default(ajv)
  for (const [name, document] of Object.entries(documents)) ajv.addSchema(document, name)

  function reasons(schema: Schema, value: unknown, at: string): Reason[] {
    const validate = ajv.compile(schema)
    if (validate(value)) return []
    const errors = validate.errors ?? []
    const unions = errors.filter(
      (error, index) =>
        error.keyword === "anyOf" &&
        // Ajv lists the errors of an alternative before the error of its union.
        !errors.some(
          (candidate, later) =>
            later > index && candidate.keyword === "anyOf" && isIn(error, candidate),
        ),
    )
    const plain = errors.filter((error) => !unions.some((union) => belongsTo(error, union, errors)))
    return [
      ...plain.map((error) => reason(error, at)),
      ...unions.flatMap((union) => closest(union, at + union.instancePath)),
    ]
  }

  /** The reasons why the closest alternative does not match. */
  function closest({ schema, data }: ErrorObject, at: string): Reason[] {
    const alternatives: Schema[] = Array.isArray(schema) ? schema : []
    const [best = []] = alternatives
      .map((alternative) => reasons(alternative, data, at))
      .toSorted((a, b) => weigh(a) - weigh(b))
    return best
  }

  return (schema, value) =>
    reasons(schema, value, "").map(({ pointer, problem }) => ({
      pointer: pointer.replaceAll(/\/\d+(?=\/|$)/g, "/*"),
      problem,
    }))
}

function weigh(reasons: Reason[]) {
  return reasons.reduce((sum, { weight }) => sum + weight, 0)
}

function isIn(error: ErrorObject, union: ErrorObject): boolean {
  return `${error.instancePath}/`.startsWith(`${union.instancePath}/`)
}

/** Ajv lists the errors of alternatives before that of their union, at or below its path. */
function belongsTo(error: ErrorObject, union: ErrorObject, errors: ErrorObject[]): boolean {
  if (error === union) return true
  if (!isIn(error, union)) return false
  // When no alternative matches, Ajv reports every property as unevaluated.
  if (error.keyword === "unevaluatedProperties") return true
  return errors.indexOf(error) < errors.indexOf(union)
}

function reason(error: ErrorObject, at: string): Reason {
  const { keyword, params, data } = error
  const pointer = at + error.instancePath
  switch (keyword) {
    case "additionalProperties":
    case "unevaluatedProperties": {
      const name = String(params["additionalProperty"] ?? params["unevaluatedProperty"])
      return { pointer: `${pointer}/${name}`, problem: "is not described", weight: 2 }
    }
    case "required":
      return {
        pointer: `${pointer}/${params["missingProperty"]}`,
        problem: "is missing",
        weight: 2,
      }
    case "type":
      return { pointer, problem: `is ${typeName(data)}, not ${params["type"]}`, weight: 50 }
    case "const":
    case "enum": {
      const allowed = JSON.stringify(params["allowedValue"] ?? params["allowedValues"])
      // A `type` property identifies the intended alternative.
      const weight = error.instancePath.endsWith("/type") ? 200 : 20
      return { pointer, problem: `is ${describe(data)}, not of ${allowed}`, weight }
    }
    default:
      return { pointer, problem: `is ${describe(data)}, but ${error.message}`, weight: 1 }
  }
}

function typeName(value: unknown): string {
  if (value === null) return "null"
  return Array.isArray(value) ? "array" : typeof value
}

/** Never prints strings: they may be secrets. */
function describe(value: unknown): string {
  return typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : `a ${typeName(value)}`
}
