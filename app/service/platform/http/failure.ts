import { APIError } from "better-auth/api"
import type { Context } from "hono"
import type { ContentfulStatusCode } from "hono/utils/http-status"

/** Gives a status to each message, by error code. */
function withStatus<const Status extends ContentfulStatusCode, Code extends string>(
  status: Status,
  messages: Record<Code, string>,
): Record<Code, { status: Status; message: string }>
function withStatus(status: ContentfulStatusCode, messages: Record<string, string>) {
  return Object.fromEntries(
    Object.entries(messages).map(([code, message]) => [code, { status, message }]),
  )
}

/** Errors that always have the same status and message, by code. */
export const failures = {
  ...withStatus(400, {
    BAD_REQUEST: "The input is invalid",
    INVALID_SIGNATURE: "The signature does not match the body or is too old",
    PASSWORD_BREACHED: "This password is known from a leak; choose another one",
    INVALID_PASSWORD: "Invalid password",
    CREDENTIAL_ACCOUNT_NOT_FOUND: "Credential account not found",
    INVALID_CODE: "Invalid code, or one that is too old",
    INVALID_TOKEN: "Invalid token",
    RESET_PASSWORD_DISABLED: "Reset password isn't enabled",
    VERIFICATION_EMAIL_NOT_ENABLED: "Verification email isn't enabled",
    ACCOUNT_NOT_FOUND: "Account not found",
    FAILED_TO_UNLINK_LAST_ACCOUNT: "You can't unlink your last account",
  }),
  ...withStatus(401, {
    UNAUTHORIZED: "Unauthorized",
    INVALID_EMAIL_OR_PASSWORD: "Invalid email or password, or an address that is not verified yet",
    STEP_EXPIRED:
      "This sign-in was not begun in this browser, is finished, had five wrong codes or is older than ten minutes: begin again",
    PASSKEY_REFUSED:
      "This passkey opens nothing here, or its answer came late or twice: begin again",
  }),
  ...withStatus(403, {
    INVALID_ORIGIN: "Invalid origin: add it to accounts:trustedOrigins of the stack file",
    MISSING_OR_NULL_ORIGIN: "Missing or null Origin",
    EMAIL_NOT_VERIFIED: "Verify the address of your account first",
    STEP_UP_REQUIRED: "Show again that it is you, in a way of data.ways: stepUp, or sign in again",
    SECOND_FACTOR_REQUIRED:
      "Go on with signInSecondFactor, or a passkey: data.ways says what the account has",
    SECOND_FACTOR_MISSING:
      "This account must have a second factor, and this session has shown none: step-up in a way of data.ways, or turn one on where there is none",
    SECOND_FACTOR_NOT_OFFERED: "No second factor can be turned on here",
    ACCOUNT_SUSPENDED: "This account is suspended",
    SIGN_UP_CLOSED: "Sign-up is closed here",
    INVITATION_REQUIRED: "Sign-up takes an invitation of this address",
    PASSWORD_OFF: "Passwords are turned off here",
    EMAIL_CODE_OFF: "Codes by email are turned off here",
    PASSKEYS_OFF: "Passkeys are turned off here",
    TURNSTILE_REFUSED: "Turnstile has not let this browser through",
    RESERVED_ADDRESS: "This e-mail address is reserved",
  }),
  ...withStatus(404, {
    NOT_FOUND: "No such path",
    PROVIDER_NOT_FOUND: "Provider not found",
  }),
  ...withStatus(405, {
    METHOD_NOT_ALLOWED: "This path does not support this method",
  }),
  ...withStatus(409, {
    EMAIL_TAKEN: "This e-mail address has an account",
    FORMER_ADDRESS_GONE:
      "The account has not had this address in the last thirty days, or another one has it",
    MEMBER_NOT_VERIFIED:
      "The address of this account is not verified: its owner must open the link of the verification email first",
    PASSWORD_EXISTS: "There is a password: change it",
    SECOND_FACTOR_MANDATORY: "This account must have a second factor: put another one in its place",
    SECOND_FACTOR_OFF: "There is no second factor: turn one on first",
    TOO_MANY_PASSKEYS: "You have 20 passkeys; remove one first",
    SESSION_CHANGED: "Another account is signed in now: look before you send it again",
    LAST_OWNER: "The last owner cannot leave or change role; make another owner first",
  }),
  ...withStatus(413, {
    PAYLOAD_TOO_LARGE: "The request body is too large",
  }),
  ...withStatus(415, {
    UNSUPPORTED_MEDIA_TYPE: "The request body must be application/json",
  }),
  ...withStatus(422, {
    USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: "User already exists. Use another email.",
  }),
  ...withStatus(429, {
    TOO_MANY_REQUESTS: "Too many attempts; try again later",
    TOO_MANY_ATTEMPTS: "Too many wrong passwords or codes; try again later, or reset the password",
  }),
  ...withStatus(500, {
    INTERNAL_SERVER_ERROR: "Internal server error",
  }),
  ...withStatus(503, {
    TURNSTILE_UNAVAILABLE: "Turnstile cannot be asked; try again later",
    PAYMENT_NOT_CONFIGURED: "Payments are not configured here",
    PAYMENT_UNAVAILABLE: "The payment provider cannot be reached",
    UNAVAILABLE: "The database cannot be reached; try again later",
    SERVICE_MISCONFIGURED: "The service is misconfigured; its log lists every problem",
  }),
}

export type FailureCode = keyof typeof failures

/** Selects errors for a procedure's declaration. */
export function failing<Code extends FailureCode>(...codes: Code[]): Pick<typeof failures, Code>
export function failing(...codes: FailureCode[]) {
  return Object.fromEntries(codes.map((code) => [code, failures[code]]))
}

/** Seconds after which a client may retry a response of 503. */
export const retryUnavailable = 5

/** Responds in the authentication library's format: `{code, message}`. */
export function fail(context: Context, code: FailureCode) {
  const { status, message } = failures[code]
  const headers = status === 503 ? { "retry-after": String(retryUnavailable) } : {}
  return context.json({ code, message }, status, headers)
}

/** Creates an error that the authentication library's hooks and endpoints must throw. */
export function createApiError(
  code: FailureCode,
  headers?: ConstructorParameters<typeof Headers>[0],
  data?: object,
) {
  const { status, message } = failures[code]
  return new APIError(status, { code, message, ...(data && { data }) }, headers)
}
