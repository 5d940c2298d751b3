import { OpenAPIGenerator } from "@orpc/openapi"
import type { AnyProcedure } from "@orpc/server"
import { ZodToJsonSchemaConverter } from "@orpc/zod/zod4"
import * as z from "zod"

import { router } from "../../app/router.ts"
import { newPasswordsOf, offeredPaths, takesTurnstile } from "../../app/service/routes/endpoints.ts"
import type { Path } from "../../app/service/session/endpoint.ts"
import { descriptionOf, descriptions } from "./descriptions.ts"
import {
  type ResponsesOf,
  commonErrors,
  createErrorResponses,
  errorSchema,
  failuresOf,
} from "./error-responses.ts"
import type { DeclaredError, PathDescription, UntypedOperation } from "./operation.ts"
import { withTexts } from "./sample.ts"
import { describeFormPost, describeTokenKeys, jsonContent, schemaOf } from "./untyped-operations.ts"

/** Markdown at the top of the description. A test follows each link to a page of the front end. */
const introduction = `Sign-up, sign-in, sessions and member data.

The session is a cookie: call from a trusted origin and include credentials. A trusted origin is \`accounts:webOrigin\` or one of \`accounts:trustedOrigins\` of the environment; others get INVALID_ORIGIN, which a browser shows as a failed request without a reason. \`packages/client/\` of the repository is a typed client.

A session lasts a week, \`accounts:sessionDays\` at most (thirty days), and is extended by getSession, at most once a day: call it now and then, not only typed operations.

The header \`accounts-user\` of a call with a session is the id of the user that your page shows. If another tab has signed in a different user, the call is rejected with SESSION_CHANGED before anything is written. Only \`signOut\` ignores it.

Where the environment has read replication, any answer may also set a cookie \`….bookmark\`. A client that sends it back reads at least what it has read or written before; one that does not may read its own journal, results and consents as they were a moment ago.

## Pages that a front end must have

The service leads browsers to these pages of \`WEB_URL\`, the front end's origin. Where an operation takes another page (\`callbackURL\`, \`errorCallbackURL\`, \`redirectTo\`), it must lie on a trusted origin; that of an e-mail is \`/\` of \`WEB_URL\` or one of \`accounts:letterPages\`, as it is written there.

| page | who leads there |
| --- | --- |
| \`/\` | the link of a verification e-mail, unless sign-up named a \`callbackURL\`, with \`?error=\` if it has verified nothing (then at its \`errorCallbackURL\`, if it named one); a sign-in at an identity provider, unless it named a \`callbackURL\` |
| \`/?error=PASSWORD_REQUIRED&token=\` | the same link in another browser than the one that signed up, such as a telephone's: at the \`errorCallbackURL\` of sign-up, else at its \`callbackURL\`, which then is a page of failure, too; the page asks for the password that was chosen, or a new one, and sends it with the token to verifyEmailWithPassword |
| \`/?error=\` | a failed sign-in at an identity provider, unless it named an \`errorCallbackURL\`; the codes are listed at returnFromProvider |
| \`/sign-up?invitation=\` | the link of an invitation; the page sends the token to signUpEmail with the address that was invited, or starts a sign-in at an identity provider |
| \`/reset-password?token=\` | the link of an e-mail that resets the password, unless requestPasswordReset named a \`redirectTo\`; the page sends the token to resetPassword. With \`redirectTo\`, \`?error=\` takes the place of \`?token=\` if the link is no longer valid |
| \`/payments/{paymentId}\` | the payment provider after a checkout, with \`?cancelled\` if it was left; the page asks verifyPayment, since the money may be later than the member |
`

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
            "Without AUTH_COOKIE_DOMAIN it goes on with -host, and begins with __Host-; over http it has no prefix. " +
            "What asks for a step-up takes the cookie session_binding as well: keep every cookie that an answer sets.",
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
        // oRPC omits the pattern if there is a format, but the format allows more.
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
        [method.toLowerCase()]: withTexts({
          ...operation,
          ...descriptionOf(descriptions.procedures, name),
          parameters: (operation?.parameters ?? []).map(withoutLeniency),
          ...(needsNoBody(procedure) && {
            requestBody: { ...operation?.requestBody, required: false },
          }),
          security: "UNAUTHORIZED" in errorMap ? security : [],
          responses: { "200": success, ...errors },
        }),
      },
    ] as const
  })
  return Object.fromEntries(paths)
}

/** The generator marks every body as required, even if none of its fields is. */
function needsNoBody(procedure: AnyProcedure) {
  const { inputSchema, route } = procedure["~orpc"]
  return (
    route.method === undefined &&
    inputSchema instanceof z.ZodType &&
    inputSchema.safeParse({}).success
  )
}

/** The generator declares that parameters may be empty or contain reserved characters. This API rejects both. */
function withoutLeniency(parameter: object) {
  return Object.fromEntries(
    Object.entries(parameter).filter(([key]) => !/^allow(?:EmptyValue|Reserved)$/.test(key)),
  )
}

function authPaths(responsesOf: ResponsesOf) {
  const callback = "/api/auth/callback/{provider}"
  const operations = offeredPaths.map((offered) => {
    const description = descriptionOf(descriptions.paths, offered.path)
    const described = describeOperation({ ...offered, ...description }, responsesOf)
    // Uses the first of several methods: the provider's form post is described separately.
    const [method = "POST"] = offered.methods ?? []
    return [
      `/api/auth${templateOf(offered.path)}`,
      { [method.toLowerCase()]: withTexts(described) },
    ] as const
  })
  const paths = Object.fromEntries(operations)
  const posted = { post: withTexts(describeFormPost(responsesOf)) }
  return { ...paths, [callback]: { ...paths[callback], ...posted } }
}

/** Converts a route to an OpenAPI path; the provider's `:id` becomes `{provider}`. */
function templateOf(path: string) {
  return path.replace(":id", ":provider").replaceAll(/:(\w+)/g, "{$1}")
}

type Described = Path & PathDescription & Partial<UntypedOperation>

function describeOperation(operation: Described, responsesOf: ResponsesOf) {
  const {
    path,
    id = camelCaseOf(path),
    is = [],
    methods: [method = "POST"] = [],
    tag = "auth",
    summary,
    description,
    query,
    requestHeaders = [],
    body,
    output,
    // The library extends a session whenever it reads one.
    cookie = isSignedIn(operation) ? "The session, extended" : undefined,
    errors = [],
  } = operation
  const signedIn = isSignedIn(operation)
  const setCookie = cookie && { "set-cookie": { description: cookie, schema: text } }
  return {
    operationId: id,
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [tag],
    security: signedIn ? security : [],
    parameters: [
      ...pathParameters(templateOf(path)),
      ...queryParameters(query),
      ...requestHeaders.map((name) => ({ name, in: "header", required: true, schema: text })),
    ],
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
              ...(setCookie && { headers: setCookie }),
              content: jsonContent(output),
            },
          }),
      ...responsesOf([
        // Every path below /api/auth checks the fields that name a page, even if it takes none.
        ...failuresOf(...(tag === "auth" ? ["BAD_REQUEST" as const] : [])),
        ...errors.flatMap((error) => (typeof error === "string" ? failuresOf(error) : error)),
        ...(takesTurnstile(path) ? failuresOf("TURNSTILE_REFUSED", "TURNSTILE_UNAVAILABLE") : []),
        ...(newPasswordsOf(path).length > 0 ? failuresOf("PASSWORD_BREACHED") : []),
        ...(signedIn ? failuresOf("UNAUTHORIZED") : []),
        ...(signedIn && !is.includes("step-up") ? failuresOf("SECOND_FACTOR_MISSING") : []),
        ...(signedIn && method === "POST" ? failuresOf("SESSION_CHANGED") : []),
        ...failuresOf(...(tag === "auth" ? ["TOO_MANY_REQUESTS" as const] : [])),
        ...commonErrors(method),
      ]),
    },
  }
}

function isSignedIn({ tag = "auth", is = [] }: Described) {
  return tag === "auth" && !is.includes("open")
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
  status: z.enum(["ok", "behind", "ahead", "slow"]),
  version: z.object({ id: z.string(), tag: z.string() }),
  migrations: z.object({ expected: z.string(), found: z.string().nullish() }),
  /** Present only if the request asks for `deep`. */
  database: z.object({ ms: z.int() }).optional(),
})

const behind = {
  status: "behind",
  version: { id: "0f5c3a52-7f0e-4a63-9d2b-5f1c8a7e4d10", tag: "" },
  migrations: { expected: "0042_an_example.sql", found: "0041_the_one_before.sql" },
}

function untypedPaths(responsesOf: ResponsesOf) {
  return {
    "/api/health": {
      get: withTexts({
        operationId: "health",
        summary: "Get the status and version of the service",
        tags: ["health"],
        security: [],
        parameters: [
          {
            name: "schema",
            in: "query",
            required: false,
            description: "1: also say whether the schema of the database fits the build",
            schema: { enum: ["1"] },
          },
          {
            name: "deep",
            in: "query",
            required: false,
            description:
              "1, for monitors: the same, and how many milliseconds the database took; 503 from 2,000 (slow)",
            schema: { enum: ["1"] },
          },
        ],
        responses: {
          "200": { description: "OK", content: jsonContent(Health) },
          "503": {
            description:
              "The schema lacks what the build needs (behind), has dropped what it knows (ahead), is slow (with deep), or cannot be asked for",
            headers: { "retry-after": { schema: { type: "integer" } } },
            content: jsonContent(z.union([Health, Unavailable]), behind),
          },
          ...responsesOf(failuresOf("BAD_REQUEST", "TOO_MANY_REQUESTS")),
        },
      }),
    },
    "/api/v1/jwks.json": { get: withTexts(describeTokenKeys(responsesOf)) },
    ...Object.fromEntries(
      descriptions.untyped.map((operation) => [
        `/api/v1${operation.path}`,
        { post: withTexts(describeOperation(operation, responsesOf)) },
      ]),
    ),
  }
}
