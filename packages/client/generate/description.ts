import { readFileSync } from "node:fs"
import { join } from "node:path"

import type { OpenAPI3 } from "openapi-typescript"

type Operation = {
  operationId: string
  summary: string
  tags: string[]
  security?: object[]
  responses: Record<string, object>
}

export type Description = OpenAPI3 & { paths: Record<string, Record<string, Operation>> }

const file = join(import.meta.dirname, "../../../app/service/openapi/openapi.json")

/**
 * Reads the operations that a front end may call from the service's OpenAPI description. Others call webhooks,
 * the callbacks of identity providers, and the links in e-mails.
 */
export function readDescription(): Description {
  const description: Description = JSON.parse(readFileSync(file, "utf8"), withoutExamples)
  const paths = Object.entries(description.paths).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods).filter(([, { operationId }]) => !calledByOthers.has(operationId)),
    ),
  ])
  return { ...description, paths: Object.fromEntries(paths) }
}

const calledByOthers = new Set([
  "getTokenKeys",
  "openPasswordReset",
  "postFromProvider",
  "processWebhook",
  "returnFromProvider",
  "verifyEmail",
])

/** Drops the examples: types do not need them, and they are half of the file. */
function withoutExamples(key: string, value: unknown): unknown {
  return key === "example" || key === "examples" ? undefined : value
}
