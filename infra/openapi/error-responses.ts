import { suspensionReasons } from "../../app/service/platform/database/auth.table.ts"
import { type FailureCode, failures } from "../../app/service/platform/http/failure.ts"
import { Proof } from "../../app/service/session/assurance/assurance.ts"
import type { DeclaredError } from "./operation.ts"

export function failuresOf(...codes: FailureCode[]): DeclaredError[] {
  return codes.map((code) => {
    const { status, message } = failures[code]
    return { code, status, message }
  })
}

/** Returns the errors that every operation with the method shares. */
export function commonErrors(method: string) {
  return [
    ...failuresOf(
      "INVALID_ORIGIN",
      "INTERNAL_SERVER_ERROR",
      "UNAVAILABLE",
      "SERVICE_MISCONFIGURED",
    ),
    ...(method === "POST"
      ? failuresOf("MISSING_OR_NULL_ORIGIN", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE")
      : []),
  ]
}

export const errorSchema = {
  type: "object",
  required: ["code", "message"],
  properties: {
    code: { type: "string", description: "For programs; never changes" },
    message: { type: "string", description: "For people; may change" },
    defined: { type: "boolean", description: "Whether a typed operation declares this error" },
    status: { type: "integer" },
    data: {
      type: "object",
      properties: {
        ways: {
          type: "array",
          description: "What the account has for a step-up, or a sign-in that goes on",
          items: { enum: Proof.options },
        },
        reason: {
          description: "Why the account is suspended",
          enum: suspensionReasons,
        },
        unknownCredential: {
          type: "object",
          description:
            "Argument of PublicKeyCredential.signalUnknownCredential, after which the device no longer offers the passkey",
          required: ["rpId", "credentialId"],
          properties: { rpId: { type: "string" }, credentialId: { type: "string" } },
        },
        issues: {
          type: "array",
          items: {
            type: "object",
            required: ["path", "message"],
            properties: {
              path: { type: "array", items: { type: ["string", "integer"] } },
              message: { type: "string" },
              minimum: { type: "number" },
              maximum: { type: "number" },
            },
          },
        },
      },
    },
  },
} as const

const refusedField = {
  issues: [{ path: ["name"], message: "Must have at most 100 characters", maximum: 100 }],
}

const dataOf = new Map<string, object>([
  ["BAD_REQUEST", refusedField],
  ["ACCOUNT_SUSPENDED", { reason: "payment" }],
  ["STEP_UP_REQUIRED", { ways: ["password", "sign-in"] }],
  ["SECOND_FACTOR_REQUIRED", { ways: ["totp", "recovery"] }],
  ["SECOND_FACTOR_MISSING", { ways: [] }],
])

type Answer = {
  description: string
  headers?: object
  content: Record<
    string,
    { schema: object; examples: Record<string, { value: DeclaredError | object }> }
  >
}

const retryAfter = {
  description: "Seconds after which the request may be sent again",
  schema: { type: "integer", minimum: 1 },
}

/** Effects of errors on cookies, by error code. */
const cookieOf = new Map([
  ["UNAUTHORIZED", "Clears the cookie of a session that has ended"],
  ["SECOND_FACTOR_REQUIRED", "The sign-in that waits for the second factor"],
])

export type ResponsesOf = ReturnType<typeof createErrorResponses>["responsesOf"]

/**
 * Turns declared errors into responses by status. Operations with the same set of errors share a component, named by
 * the codes. A number is added if the same codes have other messages.
 */
export function createErrorResponses() {
  const components: Record<string, Answer> = {}
  const responsesOf = (errors: DeclaredError[]) => {
    const byStatus = Map.groupBy(errors, ({ status }) => String(status))
    return Object.fromEntries(
      [...byStatus].map(([status, group]) => {
        const name = nameOf(components, group)
        components[name] ??= answerOf(group)
        return [status, { $ref: `#/components/responses/${name}` }]
      }),
    )
  }
  return { components, responsesOf }
}

function nameOf(components: Record<string, Answer>, group: DeclaredError[]) {
  const codes = group.map(({ code }) => code).join(".")
  const { description } = answerOf(group)
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? codes : `${codes}.${count}`
    if ((components[name]?.description ?? description) === description) return name
  }
}

function headersOf(group: DeclaredError[]) {
  if (group.some(({ status }) => status === 429 || status === 503)) {
    return { headers: { "retry-after": retryAfter } }
  }
  const [cookie] = group.flatMap(({ code }) => cookieOf.get(code) ?? [])
  return (
    cookie && { headers: { "set-cookie": { description: cookie, schema: { type: "string" } } } }
  )
}

function answerOf(group: DeclaredError[]): Answer {
  return {
    description: group.map(({ code, message }) => `${code}: ${message}`).join(". "),
    ...headersOf(group),
    content: {
      "application/json": {
        schema: {
          allOf: [
            { $ref: "#/components/schemas/Error" },
            { type: "object", properties: { code: { enum: group.map(({ code }) => code) } } },
          ],
        },
        examples: Object.fromEntries(
          group.map(({ code, message }) => {
            const data = dataOf.get(code)
            return [code, { value: { code, message, ...(data && { data }) } }]
          }),
        ),
      },
    },
  }
}
