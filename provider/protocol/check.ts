import type * as messages from "@pulumi/pulumi/proto/provider_pb.js"
import proto from "@pulumi/pulumi/proto/provider_pb.js"
import type * as z from "zod"

import { type Properties, unknown } from "./resource.ts"

type Failure = { property: string; reason: string }

/** What is wrong with the inputs. Values that only `up` will know are judged then. */
export function checkInputs(schema: z.ZodType, inputs: Properties): Failure[] {
  const parsed = schema.safeParse(inputs)
  if (parsed.success) return []
  return parsed.error.issues
    .filter((issue) => !isUnknownAt(inputs, issue.path))
    .map((issue) => ({ property: propertyPath(issue.path), reason: issue.message }))
}

/** The engine's answer to a check: the inputs as they came, and what is wrong with them. */
export function checkResponse(
  request: messages.CheckRequest,
  failures: Failure[],
): messages.CheckResponse {
  const response = new proto.CheckResponse()
  response.setInputs(request.getNews())
  for (const { property, reason } of failures) {
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
  return value === unknown
}

function propertyPath(path: PropertyKey[]): string {
  return path
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
    .join("")
    .replace(/^\./, "")
}
