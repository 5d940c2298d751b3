import { APIError } from "better-auth/api"
import type { Context } from "hono"
import type { ContentfulStatusCode } from "hono/utils/http-status"

/** Errors that have the same status and message wherever they occur, by code. */
export const failures = {
  BAD_REQUEST: { status: 400, message: "The input is invalid" },
  UNAUTHORIZED: { status: 401, message: "Unauthorized" },
  NOT_FOUND: { status: 404, message: "No such path" },
  METHOD_NOT_ALLOWED: { status: 405, message: "This path does not support this method" },
  INVALID_ORIGIN: { status: 403, message: "Invalid origin" },
  MISSING_OR_NULL_ORIGIN: { status: 403, message: "Missing or null Origin" },
  INVALID_SIGNATURE: {
    status: 400,
    message: "The signature does not match the body or is too old",
  },
  PAYLOAD_TOO_LARGE: { status: 413, message: "The request body is too large" },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: "The request body must be application/json" },
  TOO_MANY_REQUESTS: { status: 429, message: "Too many attempts; try again later" },
  TOO_MANY_ATTEMPTS: {
    status: 429,
    message: "Too many wrong passwords or codes; try again later, or reset the password",
  },
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: {
    status: 422,
    message: "User already exists. Use another email.",
  },
  INVALID_EMAIL_OR_PASSWORD: {
    status: 401,
    message: "Invalid email or password, or an address that is not verified yet",
  },
  PASSWORD_BREACHED: {
    status: 400,
    message: "This password is known from a leak; choose another one",
  },
  INVALID_PASSWORD: { status: 400, message: "Invalid password" },
  CREDENTIAL_ACCOUNT_NOT_FOUND: { status: 400, message: "Credential account not found" },
  INVALID_CODE: { status: 400, message: "Invalid code, or one that is too old" },
  EMAIL_TAKEN: { status: 409, message: "This e-mail address has an account" },
  FORMER_ADDRESS_GONE: {
    status: 409,
    message: "The account has not had this address in the last thirty days, or another one has it",
  },
  EMAIL_NOT_VERIFIED: { status: 403, message: "Verify the address of your account first" },
  MEMBER_NOT_VERIFIED: {
    status: 409,
    message:
      "Nobody has verified the address of this account: its owner does so first, by a letter",
  },
  PASSWORD_EXISTS: { status: 409, message: "There is a password: change it" },
  INVALID_TOKEN: { status: 400, message: "Invalid token" },
  RESET_PASSWORD_DISABLED: { status: 400, message: "Reset password isn't enabled" },
  VERIFICATION_EMAIL_NOT_ENABLED: { status: 400, message: "Verification email isn't enabled" },
  ACCOUNT_NOT_FOUND: { status: 400, message: "Account not found" },
  FAILED_TO_UNLINK_LAST_ACCOUNT: { status: 400, message: "You can't unlink your last account" },
  STEP_UP_REQUIRED: {
    status: 403,
    message: "Show again that it is you, in a way of data.ways: stepUp, or sign in again",
  },
  SECOND_FACTOR_REQUIRED: {
    status: 403,
    message: "Go on with signInSecondFactor, or a passkey: data.ways says what the account has",
  },
  SECOND_FACTOR_MISSING: {
    status: 403,
    message:
      "This account must have a second factor, and this session has shown none: step-up in a way of data.ways, or turn one on where there is none",
  },
  SECOND_FACTOR_MANDATORY: {
    status: 409,
    message: "This account must have a second factor: put another one in its place",
  },
  SECOND_FACTOR_NOT_OFFERED: { status: 403, message: "Nobody turns on a second factor here" },
  SECOND_FACTOR_OFF: { status: 409, message: "There is no second factor: turn one on first" },
  STEP_EXPIRED: {
    status: 401,
    message:
      "This sign-in was not begun in this browser, is finished, had five wrong codes or is older than ten minutes: begin again",
  },
  PROVIDER_NOT_FOUND: { status: 404, message: "Provider not found" },
  ACCOUNT_SUSPENDED: { status: 403, message: "This account is suspended" },
  SIGN_UP_CLOSED: { status: 403, message: "Nobody can sign up here" },
  INVITATION_REQUIRED: { status: 403, message: "Sign-up takes an invitation of this address" },
  PASSWORD_OFF: { status: 403, message: "Nobody signs in with a password here" },
  EMAIL_CODE_OFF: { status: 403, message: "Nobody signs in with a code by e-mail here" },
  PASSKEYS_OFF: { status: 403, message: "Nobody uses passkeys here" },
  PASSKEY_REFUSED: {
    status: 401,
    message: "This passkey opens nothing here, or its answer came late or twice: begin again",
  },
  TOO_MANY_PASSKEYS: { status: 409, message: "You have 20 passkeys; remove one first" },
  SESSION_CHANGED: {
    status: 409,
    message: "Somebody else is signed in by now: look before you send it again",
  },
  TURNSTILE_REFUSED: { status: 403, message: "Turnstile has not let this browser through" },
  TURNSTILE_UNAVAILABLE: { status: 503, message: "Turnstile cannot be asked; try again later" },
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

/** A failure of this service, as the authentication library's hooks must throw it. */
export function createApiError(
  code: FailureCode,
  headers?: ConstructorParameters<typeof Headers>[0],
  data?: object,
) {
  const { status, message } = failures[code]
  return new APIError(status, { code, message, ...(data && { data }) }, headers)
}
