import * as z from "zod"

import { commonErrors, failuresOf, type ResponsesOf } from "./error-responses.ts"
import { jsonContent } from "./json-content.ts"

const Key = z.object({
  kid: z.string(),
  alg: z.literal("ES256"),
  use: z.literal("sig"),
  kty: z.literal("EC"),
  crv: z.literal("P-256"),
  x: z.string(),
  y: z.string(),
})

/** What other services ask, beside the typed operations: its form is RFC 7517's. */
export function describeTokenKeys(responsesOf: ResponsesOf) {
  return {
    operationId: "getTokenKeys",
    summary: "Get the keys that verify the tokens of createToken",
    description: "A set of JSON Web Keys (RFC 7517), for services. A key is there before it signs.",
    tags: ["token"],
    parameters: [],
    responses: {
      "200": { description: "OK", content: jsonContent(z.object({ keys: z.array(Key) })) },
      ...responsesOf([...failuresOf("NOT_FOUND"), ...commonErrors("GET")]),
    },
  }
}
