import * as z from "zod"

/** JSON Schema of draft 2019-09. */
export const Schema = z.record(z.string(), z.unknown())
export type Schema = z.infer<typeof Schema>

const Operation = z.strictObject({
  method: z.string(),
  /** Below `/client/v4`; every parameter is `{}`, since each source has names of its own. */
  path: z.string(),
  /** Of the query's parameters, as one object. */
  query: Schema,
  /** Null where no body is described; of a multipart body, its parts as one object. */
  request: Schema.nullable(),
  /** Of a 2xx answer in JSON; null where the answer is of another type. */
  response: Schema.nullable(),
  /** Of any other answer, by its status; `4XX` is for each that has none of its own. */
  failures: z.record(z.string(), Schema),
})
export type Operation = z.infer<typeof Operation>

/** What somebody says that Cloudflare's API is. */
export const ApiDescription = z.strictObject({
  name: z.string(),
  operations: z.array(Operation),
  /** What the schemas refer to as `<name>#/definitions/…`. */
  definitions: z.record(z.string(), Schema),
})
export type ApiDescription = z.infer<typeof ApiDescription>

/** `/accounts/{account_id}/d1` and `/accounts/${account_id}/d1` alike become `/accounts/{}/d1`. */
export function withoutParameterNames(path: string): string {
  return path.replaceAll(/\$?\{[^}]*\}/g, "{}")
}

/** An error or a message: `ResponseInfo` in the SDK's `shared.ts`. */
export const information = {
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

/** Every refusal of Cloudflare's API. */
export const failureEnvelope = {
  type: "object",
  properties: {
    success: { const: false },
    errors: { type: "array", items: information, minItems: 1 },
    messages: { type: "array", items: information },
    result: { type: ["null", "object", "array"] },
  },
  required: ["success", "errors", "messages", "result"],
  additionalProperties: false,
}
