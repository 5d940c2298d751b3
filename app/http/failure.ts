import type { Context } from "hono"
import type { ContentfulStatusCode } from "hono/utils/http-status"

/** Failures decided before a procedure or the authentication library is reached. */
export const failures = {
  BAD_REQUEST: [400, "The input is not what this operation takes"],
  NOT_FOUND: [404, "There is nothing at this path"],
  METHOD_NOT_ALLOWED: [405, "This path does not answer this method"],
  INVALID_ORIGIN: [403, "Invalid origin"],
  MISSING_OR_NULL_ORIGIN: [403, "Missing or null Origin"],
  INVALID_SIGNATURE: [400, "The signature does not match the body, or is too old"],
  PAYLOAD_TOO_LARGE: [413, "The body is too large"],
  UNSUPPORTED_MEDIA_TYPE: [415, "The body must be application/json"],
  TOO_MANY_REQUESTS: [429, "Too many attempts, try again later"],
  PAYMENT_UNAVAILABLE: [503, "The payment provider cannot be reached"],
  INTERNAL_SERVER_ERROR: [500, "Internal server error"],
  SERVICE_MISCONFIGURED: [503, "The service is not configured; its log names every problem"],
} as const satisfies Record<string, [ContentfulStatusCode, string]>

/** The body has the authentication library's shape: `{code, message}`. */
export function fail(context: Context, code: keyof typeof failures) {
  const [status, message] = failures[code]
  return context.json({ code, message }, status)
}
