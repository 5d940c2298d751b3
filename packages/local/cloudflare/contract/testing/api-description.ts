import * as z from "zod"

/** JSON Schema, draft 2019-09. */
export const Schema = z.record(z.string(), z.unknown())
export type Schema = z.infer<typeof Schema>

const Operation = z.strictObject({
  method: z.string(),
  /** Relative to `/client/v4`; every parameter is `{}`, since sources name them differently. */
  path: z.string(),
  /** The query parameters as one object. */
  query: Schema,
  /** Null without a body. The parts of a multipart body are one object. */
  request: Schema.nullable(),
  /** Schema of a 2xx response; null if it is not JSON. */
  response: Schema.nullable(),
  /** Of other responses, by status; `4XX` applies to a status without its own schema. */
  failures: z.record(z.string(), Schema),
})
export type Operation = z.infer<typeof Operation>

export const ApiDescription = z.strictObject({
  name: z.string(),
  operations: z.array(Operation),
  /** Schemas refer to these as `<name>#/definitions/…`. */
  definitions: z.record(z.string(), Schema),
})
export type ApiDescription = z.infer<typeof ApiDescription>

/** `/accounts/{account_id}/d1` and `/accounts/${account_id}/d1` become `/accounts/{}/d1`. */
export function withoutParameterNames(path: string): string {
  return path.replaceAll(/\$?\{[^}]*\}/g, "{}")
}

/** An error or a message: `ResponseInfo` in the SDK's `shared.ts`. */
export const responseInfo = {
  type: "object",
  properties: {
    code: { type: "integer", minimum: 1000 },
    message: { type: "string" },
    documentation_url: { type: "string" },
    source: { type: "object" },
  },
  required: ["code", "message"],
  additionalProperties: false,
}

export const failureEnvelope = {
  type: "object",
  properties: {
    success: { const: false },
    errors: { type: "array", items: responseInfo, minItems: 1 },
    messages: { type: "array", items: responseInfo },
    result: { type: ["null", "object", "array"] },
  },
  required: ["success", "errors", "messages", "result"],
  additionalProperties: false,
}
