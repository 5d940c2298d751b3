import type * as messages from "@pulumi/pulumi/proto/provider_pb.js"
import proto from "@pulumi/pulumi/proto/provider_pb.js"
import type * as z from "zod"

import { type Properties, unknownValue } from "./resource.ts"

type InputProblem = { property: string; reason: string }

/** Lists what is wrong with the inputs. Values that only `up` will know are checked then. */
export function checkInputs(schema: z.ZodType, inputs: Properties): InputProblem[] {
  const parsed = schema.safeParse(inputs)
  if (parsed.success) return []
  return parsed.error.issues
    .filter((issue) => !isUnknownAt(inputs, issue.path))
    .map((issue) => ({ property: propertyPath(issue.path), reason: issue.message }))
}

export function checkResponse(
  request: messages.CheckRequest,
  problems: InputProblem[],
): messages.CheckResponse {
  const response = new proto.CheckResponse()
  response.setInputs(request.getNews())
  for (const { property, reason } of problems) {
    const failure = new proto.CheckFailure()
    failure.setProperty(property)
    failure.setReason(reason)
    response.addFailures(failure)
  }
  return response
}

function isUnknownAt(inputs: Properties, path: PropertyKey[]): boolean {
  let value: unknown = inputs
  for (const key of path) {
    if (typeof value !== "object" || value === null) break
    value = Reflect.get(value, key)
  }
  return value === unknownValue
}

function propertyPath(path: PropertyKey[]): string {
  return path
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
    .join("")
    .replace(/^\./, "")
}
