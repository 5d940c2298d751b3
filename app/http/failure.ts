import type { Context } from "hono"
import type { ContentfulStatusCode } from "hono/utils/http-status"

/** Errors that have the same status and message wherever they occur, by code. */
export const failures = {
  BAD_REQUEST: { status: 400, message: "The input is invalid" },
  NOT_FOUND: { status: 404, message: "No such path" },
  METHOD_NOT_ALLOWED: { status: 405, message: "This path does not support this method" },
  INVALID_ORIGIN: { status: 403, message: "Invalid origin" },
  MISSING_OR_NULL_ORIGIN: { status: 403, message: "Missing or null Origin" },
  INVALID_CALLBACK_URL: { status: 403, message: "Invalid callbackURL" },
  INVALID_REDIRECT_URL: { status: 403, message: "Invalid redirectURL" },
  INVALID_SIGNATURE: {
    status: 400,
    message: "The signature does not match the body or is too old",
  },
  PAYLOAD_TOO_LARGE: { status: 413, message: "The request body is too large" },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: "The request body must be application/json" },
  TOO_MANY_REQUESTS: { status: 429, message: "Too many attempts; try again later" },
  TOO_MANY_ATTEMPTS: {
    status: 429,
    message: "Too many wrong passwords; try again later, or reset the password",
  },
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: {
    status: 422,
    message: "User already exists. Use another email.",
  },
  INVALID_EMAIL_OR_PASSWORD: {
    status: 401,
    message: "Invalid email or password, or an address that is not verified yet",
  },
  RESERVED_ADDRESS: { status: 403, message: "This e-mail address is reserved" },
  LAST_OWNER: {
    status: 409,
    message: "The last owner cannot leave or change role; make another owner first",
  },
  PAYMENT_NOT_CONFIGURED: { status: 503, message: "Payments are not configured here" },
  PAYMENT_UNAVAILABLE: { status: 503, message: "The payment provider cannot be reached" },
  UNAVAILABLE: { status: 503, message: "The database cannot be reached; try again later" },
  INTERNAL_SERVER_ERROR: { status: 500, message: "Internal server error" },
  SERVICE_MISCONFIGURED: {
    status: 503,
    message: "The service is misconfigured; its log lists every problem",
  },
} as const satisfies Record<string, { status: ContentfulStatusCode; message: string }>

export type FailureCode = keyof typeof failures

/** Seconds after which an answer of 503 may be another. */
export const retryUnavailable = 5

/** Answers in the authentication library's shape: `{code, message}`. */
export function fail(context: Context, code: FailureCode) {
  const { status, message } = failures[code]
  const headers = status === 503 ? { "retry-after": String(retryUnavailable) } : {}
  return context.json({ code, message }, status, headers)
}
