import { OpenAPIGenerator } from "@orpc/openapi"
import type { AnyProcedure } from "@orpc/server"
import { ZodToJsonSchemaConverter } from "@orpc/zod/zod4"
import * as z from "zod"

import { untyped } from "../../operations.ts"
import { router } from "../../router.ts"
import { bodyOf, newPasswordsOf, takesTurnstile } from "../auth/bodies.ts"
import { pathHas, pathOf } from "../auth/paths.ts"
import { authOperations } from "./auth-operations.ts"
import {
  commonErrors,
  createErrorResponses,
  type DeclaredError,
  errorSchema,
  failuresOf,
  type ResponsesOf,
} from "./error-responses.ts"
import { describeFormPost } from "./form-post-operation.ts"
import { introduction } from "./introduction.ts"
import { jsonContent, schemaOf } from "./json-content.ts"
import { type AuthOperation, unauthorized } from "./operation-fields.ts"
import { withExample } from "./sample.ts"
import { describeTokenKeys } from "./token-keys-operation.ts"

const info = {
  title: "Accounts",
  version: "1",
  description: introduction,
}

const security = [{ session: [] }]

/** Describes the whole API, as committed in app/service/openapi/openapi.json. */
export async function describeApi() {
  const { components, responsesOf } = createErrorResponses()
  return {
    openapi: "3.1.1",
    info,
    // The origin that serves the description.
    servers: [{ url: "/" }],
    paths: {
      ...(await rpcPaths(responsesOf)),
      ...authPaths(responsesOf),
      ...untypedPaths(responsesOf),
    },
    components: {
      schemas: { Error: errorSchema },
      securitySchemes: {
        session: {
          type: "apiKey",
          in: "cookie",
          name: "__Secure-accounts-production.session_token",
          description:
            "The name contains the environment: accounts-staging, accounts-preview, accounts-local. " +
            "Without AUTH_COOKIE_DOMAIN it goes on with -host, and begins with __Host-; over http it has no prefix.",
        },
      },
      responses: components,
    },
  }
}

async function rpcPaths(responsesOf: ResponsesOf) {
  const converter = new ZodToJsonSchemaConverter({
    interceptors: [
      (options) => {
        const [required, json] = options.next()
        // oRPC leaves the pattern out where there is a format, which allows more.
        const pattern = json.format === "email" ? { pattern: z.regexes.email.source } : {}
        return [required, { ...json, ...pattern }]
      },
    ],
  })
  const generator = new OpenAPIGenerator({ schemaConverters: [converter] })
  const generated = await generator.generate(router, { info })
  const paths = Object.entries(router).map(([name, procedure]) => {
    const { errorMap, route } = procedure["~orpc"]
    const { method = "POST" } = route
    const item = generated.paths?.[`/${name}`]
    const operation = method === "GET" ? item?.get : item?.post
    const declared = Object.entries(errorMap).map(([code, { status, message }]): DeclaredError => ({
      code,
      status,
      message,
    }))
    const success = operation?.responses?.["200"]
    const common = commonErrors(method).filter(({ code }) => !(code in errorMap))
    const errors = responsesOf([...declared, ...common])
    return [
      `/api/v1/${name}`,
      {
        [method.toLowerCase()]: withExample({
          ...operation,
          parameters: (operation?.parameters ?? []).map(withoutLeniency),
          ...(needsNoBody(procedure) && {
            requestBody: { ...operation?.requestBody, required: false },
          }),
          ...("UNAUTHORIZED" in errorMap ? { security } : {}),
          responses: { "200": success, ...errors },
        }),
      },
    ] as const
  })
  return Object.fromEntries(paths)
}

/** The generator requires every body, even where no field of it is required. */
function needsNoBody(procedure: AnyProcedure) {
  const { inputSchema, route } = procedure["~orpc"]
  return (
    route.method === undefined &&
    inputSchema instanceof z.ZodType &&
    inputSchema.safeParse({}).success
  )
}

/** The generator declares that parameters may be empty or contain reserved characters; here they may not. */
function withoutLeniency(parameter: object) {
  return Object.fromEntries(
    Object.entries(parameter).filter(([key]) => !/^allow(?:EmptyValue|Reserved)$/.test(key)),
  )
}

function authPaths(responsesOf: ResponsesOf) {
  const callback = "/api/auth/callback/{provider}"
  const described = authOperations.map((operation) => {
    const { path } = operation
    const method = methodOf(path)
    const own = { [method.toLowerCase()]: withExample(describeAuth(operation, responsesOf)) }
    return [`/api/auth${path}`, own] as const
  })
  const paths = Object.fromEntries(described)
  const posted = { post: withExample(describeFormPost(responsesOf)) }
  return { ...paths, [callback]: { ...paths[callback], ...posted } }
}

function describeAuth(operation: AuthOperation, responsesOf: ResponsesOf) {
  const {
    path,
    id = camelCaseOf(path),
    summary,
    description,
    query,
    output,
    headers: others,
    signedIn = false,
    // The library renews a session wherever it reads one.
    cookie = signedIn ? "The session, extended" : undefined,
    errors = [],
  } = operation
  const method = methodOf(path)
  const body = bodyOf(path)
  const setCookie = cookie && { "set-cookie": { description: cookie, schema: text } }
  const headers = { ...setCookie, ...others }
  return {
    operationId: id,
    summary,
    ...(description === undefined ? {} : { description }),
    tags: ["auth"],
    ...(signedIn ? { security } : {}),
    parameters: [...pathParameters(path), ...queryParameters(query)],
    ...(body === undefined ? {} : { requestBody: { required: true, content: jsonContent(body) } }),
    responses: {
      ...(output === undefined
        ? {
            "302": {
              description: "Redirect",
              headers: { location: { schema: text }, ...setCookie },
            },
          }
        : {
            "200": {
              description: "OK",
              ...(Object.keys(headers).length > 0 && { headers }),
              content: jsonContent(output),
            },
          }),
      ...responsesOf([
        // Every operation checks the pages that it may lead to, whether it takes one or not.
        ...failuresOf("BAD_REQUEST"),
        ...errors,
        ...(takesTurnstile(path) ? failuresOf("TURNSTILE_REFUSED", "TURNSTILE_UNAVAILABLE") : []),
        ...(newPasswordsOf(path).length > 0 ? failuresOf("PASSWORD_BREACHED") : []),
        ...(signedIn ? [unauthorized] : []),
        ...(signedIn && !pathHas(path, "open") ? failuresOf("SECOND_FACTOR_MISSING") : []),
        ...(signedIn && method === "POST" ? failuresOf("SESSION_CHANGED") : []),
        ...failuresOf("TOO_MANY_REQUESTS"),
        ...commonErrors(method),
      ]),
    },
  }
}

/** Of several, the first: the form of a provider is described by itself. */
function methodOf(path: string) {
  return pathOf(path)?.methods[0] ?? "POST"
}

function camelCaseOf(path: string) {
  return path.slice(1).replaceAll(/[/-](\w)/g, (_, initial: string) => initial.toUpperCase())
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

const Unavailable = z.object({ code: z.literal("UNAVAILABLE"), message: z.string() })

const Health = z.object({
  status: z.enum(["ok", "behind", "ahead"]),
  version: z.object({ id: z.string(), tag: z.string() }),
  migrations: z.object({ expected: z.string(), found: z.string().nullish() }),
})

const behind = {
  status: "behind",
  version: { id: "0f5c3a52-7f0e-4a63-9d2b-5f1c8a7e4d10", tag: "" },
  migrations: { expected: "0042_an_example.sql", found: "0041_the_one_before.sql" },
}

function untypedPaths(responsesOf: ResponsesOf) {
  return {
    "/api/health": {
      get: withExample({
        operationId: "health",
        summary: "Get the status and version of the service",
        tags: ["health"],
        parameters: [
          {
            name: "schema",
            in: "query",
            required: false,
            description: "1: also say whether the schema of the database fits the build",
            schema: { enum: ["1"] },
          },
        ],
        responses: {
          "200": { description: "OK", content: jsonContent(Health) },
          "503": {
            description:
              "The schema lacks what the build needs (behind), has dropped what it knows (ahead), or cannot be asked for",
            headers: { "retry-after": { schema: { type: "integer" } } },
            content: jsonContent(z.union([Health, Unavailable]), behind),
          },
          ...responsesOf(failuresOf("BAD_REQUEST", "TOO_MANY_REQUESTS")),
        },
      }),
    },
    "/api/v1/jwks.json": { get: withExample(describeTokenKeys(responsesOf)) },
    ...Object.fromEntries(
      Object.entries(untyped).map(([path, describe]) => [
        path,
        { post: withExample(describe(responsesOf)) },
      ]),
    ),
  }
}
