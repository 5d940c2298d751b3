import { OpenAPIGenerator } from "@orpc/openapi"
import { ZodToJsonSchemaConverter } from "@orpc/zod/zod4"
import * as z from "zod"

import { behind } from "../http/health.examples.ts"
import { router } from "../rpc/router.ts"
import { type AuthOperation, authOperations } from "./auth-operations.ts"
import { letterOperations } from "./email-operations.ts"
import { common, createErrorResponses, edge, errorSchema, type Failing } from "./error-responses.ts"
import { withExample } from "./example-registry.ts"

const info = {
  title: "Accounts",
  version: "1",
  description:
    "Sign-up, sign-in, sessions and the data of members. The session is a cookie: send it from a trusted origin with credentials included.",
}

const security = [{ session: [] }]

/** The description of the whole API, as it is committed and served. */
export async function describeApi() {
  const { components, responsesOf } = createErrorResponses()
  return {
    openapi: "3.1.1",
    info,
    paths: {
      ...(await rpcPaths(responsesOf)),
      ...authPaths(responsesOf),
      ...edgePaths(responsesOf),
    },
    components: {
      schemas: { Error: errorSchema },
      securitySchemes: {
        session: {
          type: "apiKey",
          in: "cookie",
          name: "__Secure-accounts.session_token",
          description: "accounts-host.session_token without AUTH_COOKIE_DOMAIN; no prefix on http",
        },
      },
      responses: components,
    },
  }
}

type ResponsesOf = ReturnType<typeof createErrorResponses>["responsesOf"]

async function rpcPaths(responsesOf: ResponsesOf) {
  const generator = new OpenAPIGenerator({ schemaConverters: [new ZodToJsonSchemaConverter()] })
  const generated = await generator.generate(router, { info })
  const paths = Object.values(router).map((procedure) => {
    const { errorMap, route } = procedure["~orpc"]
    const { path = "/", method = "POST" } = route
    const item = generated.paths?.[path]
    const operation = method === "GET" ? item?.get : item?.post
    const declared = Object.entries(errorMap).map(([code, { status, message }]): Failing => ({
      code,
      status,
      message,
    }))
    const success = operation?.responses?.["200"]
    const errors = responsesOf([...declared, ...common(method)])
    return [
      `/api/v1${path}`,
      {
        [method.toLowerCase()]: withExample({
          ...operation,
          parameters: (operation?.parameters ?? []).map(strictly),
          ...("UNAUTHORIZED" in errorMap ? { security } : {}),
          responses: { "200": success, ...errors },
        }),
      },
    ] as const
  })
  return Object.fromEntries(paths)
}

/** The generator allows every parameter to be empty, and reserved letters in it; the service does not. */
function strictly(parameter: object) {
  return Object.fromEntries(
    Object.entries(parameter).filter(([key]) => !/^allow(?:EmptyValue|Reserved)$/.test(key)),
  )
}

function authPaths(responsesOf: ResponsesOf) {
  return Object.fromEntries(
    [...authOperations, ...letterOperations].map((operation) => [
      `/api/auth${operation.path}`,
      { [operation.method.toLowerCase()]: withExample(describeAuth(operation, responsesOf)) },
    ]),
  )
}

function describeAuth(operation: AuthOperation, responsesOf: ResponsesOf) {
  const {
    path,
    id = inCamelCase(path),
    method,
    summary,
    description,
    body,
    query,
    output,
    errors,
  } = operation
  return {
    operationId: id,
    summary,
    ...(description === undefined ? {} : { description }),
    tags: ["auth"],
    ...(operation.signedIn === true ? { security } : {}),
    parameters: [...pathParameters(path), ...queryParameters(query)],
    ...(body === undefined ? {} : { requestBody: { required: true, content: json(body) } }),
    responses: {
      ...(output === undefined
        ? { "302": { description: "Leads on", headers: { location: { schema: text } } } }
        : { "200": { description: "OK", content: json(output) } }),
      ...responsesOf([...errors, ...common(method)]),
    },
  }
}

function inCamelCase(path: string) {
  return path.slice(1).replaceAll(/[/-](\w)/g, (_, letter: string) => letter.toUpperCase())
}

const text = { type: "string" }

function pathParameters(path: string) {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: text,
  }))
}

function queryParameters(query: z.ZodObject | undefined) {
  return Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: "query",
    required: !z.safeParse(schema, undefined).success,
    schema: schemaOf(schema),
  }))
}

function schemaOf(schema: z.core.$ZodType) {
  const { $schema: _, ...converted } = z.toJSONSchema(schema, { io: "input" })
  return converted
}

function json(schema: z.ZodType, example?: object) {
  return {
    "application/json": { schema: schemaOf(schema), ...(example && { example }) },
  }
}

const Health = z.object({
  status: z.enum(["ok", "behind"]),
  version: z.object({ id: z.string(), tag: z.string() }),
  migrations: z.object({ expected: z.string(), found: z.string().nullish() }),
})

function edgePaths(responsesOf: ResponsesOf) {
  return {
    "/api/health": {
      get: withExample({
        operationId: "health",
        summary: "Tell that the service runs, and which version of it",
        tags: ["health"],
        parameters: [
          {
            name: "schema",
            in: "query",
            required: false,
            description: "1 compares the database's migrations with those of the build",
            schema: { enum: ["1"] },
          },
        ],
        responses: {
          "200": { description: "OK", content: json(Health) },
          "503": {
            description: "The database has other migrations",
            content: json(Health, behind),
          },
          ...responsesOf(edge("BAD_REQUEST")),
        },
      }),
    },
    "/api/v1/processWebhook": {
      post: withExample({
        operationId: "processWebhook",
        summary: "Take an event of the payment provider",
        description: "Signed over its bytes; the same event again changes nothing.",
        tags: ["payment"],
        parameters: [{ name: "stripe-signature", in: "header", required: true, schema: text }],
        requestBody: { required: true, content: json(z.looseObject({ id: z.string() })) },
        responses: {
          "200": { description: "OK", content: json(z.object({ received: z.boolean() })) },
          ...responsesOf([...edge("INVALID_SIGNATURE", "PAYMENT_UNAVAILABLE"), ...common("POST")]),
        },
      }),
    },
  }
}
