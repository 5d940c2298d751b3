import * as z from "zod"

import { type ResponsesOf, commonErrors, failuresOf } from "./error-responses.ts"

const stringSchema = { type: "string" }

const { $schema: _dialect, ...dateTime } = z.toJSONSchema(z.iso.datetime())

export function schemaOf(schema: z.core.$ZodType) {
  const { $schema: _, ...converted } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    // JSON has no dates: the API sends them as date-time strings.
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === "date") Object.assign(jsonSchema, dateTime)
    },
  })
  return converted
}

export function jsonContent(schema: z.ZodType, example?: object) {
  return {
    "application/json": { schema: schemaOf(schema), ...(example && { example }) },
  }
}

const Form = z.object({
  code: z.string().optional(),
  state: z.string().optional(),
  iss: z.string().optional(),
  error: z.string().optional(),
  user: z.string().optional().describe("JSON with the name, of a first sign-in with Apple"),
})

/**
 * Describes the callback for providers that respond with a form post. It runs before the checks of origin and
 * media type, so it never returns their errors.
 */
export function describeFormPost(responsesOf: ResponsesOf) {
  return {
    operationId: "postFromProvider",
    summary: "Return from an identity provider that answers by a form",
    description:
      "Apple makes the browser post a form here (`response_mode=form_post`). Whatever the form has, the answer leads on to the GET of the same path, with which browsers send the cookie of the sign-in, and changes nothing else.",
    tags: ["auth"],
    security: [],
    parameters: [{ name: "provider", in: "path", required: true, schema: stringSchema }],
    requestBody: {
      required: false,
      content: { "application/x-www-form-urlencoded": { schema: schemaOf(Form) } },
    },
    responses: {
      "303": {
        description: "Redirect to returnFromProvider, with the fields as its query",
        headers: { location: { schema: stringSchema } },
      },
      ...responsesOf(
        failuresOf("PAYLOAD_TOO_LARGE", "INTERNAL_SERVER_ERROR", "SERVICE_MISCONFIGURED"),
      ),
    },
  }
}

const Key = z.object({
  kid: z.string(),
  alg: z.literal("ES256"),
  use: z.literal("sig"),
  kty: z.literal("EC"),
  crv: z.literal("P-256"),
  x: z.string(),
  y: z.string(),
})

/** Describes the operation for other services, whose response has the format of RFC 7517. */
export function describeTokenKeys(responsesOf: ResponsesOf) {
  return {
    operationId: "getTokenKeys",
    summary: "Get the keys that verify the tokens of createToken",
    description: "A set of JSON Web Keys (RFC 7517), for services. A key is there before it signs.",
    tags: ["token"],
    security: [],
    parameters: [],
    responses: {
      "200": { description: "OK", content: jsonContent(z.object({ keys: z.array(Key) })) },
      ...responsesOf([...failuresOf("NOT_FOUND"), ...commonErrors("GET")]),
    },
  }
}
