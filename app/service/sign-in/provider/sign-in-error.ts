import type { SuspensionReason } from "../../platform/database/auth.table.ts"
import { Unavailable } from "../../platform/http/outbound.ts"

/** Error codes of providers that the front end gets unchanged. */
const providerErrors = [
  "access_denied",
  "account_selection_required",
  "consent_required",
  "interaction_required",
  "login_required",
  "server_error",
  "temporarily_unavailable",
] as const

/** Reasons why a sign-in with a provider failed: the front end's page gets the code as `?error=`. */
export type SignInError =
  | (typeof providerErrors)[number]
  | "account_not_linked"
  | "account_suspended"
  | "email_not_found"
  | "email_not_trusted"
  | "email_not_verified"
  | "internal_server_error"
  | "invalid_code"
  | "invitation_required"
  | "issuer_mismatch"
  | "no_code"
  | "provider_error"
  | "provider_not_found"
  | "provider_unavailable"
  | "second_factor_required"
  | "sign_up_closed"
  | "state_invalid"
  | "state_mismatch"
  | "state_not_found"
  | "step_up_required"
  | "too_many_sign_ups"
  | "unavailable"

/** A failed sign-in. The front end's page gets its error. */
export class SignInFailure extends Error {
  /** Query parameters of the page. */
  readonly query: { error: SignInError; reason?: SuspensionReason }
  /** @param options `cause` is logged; `reason` is why the account is suspended */
  constructor(
    error: SignInError,
    { cause, ...reason }: { reason?: SuspensionReason; cause?: unknown } = {},
  ) {
    super(error, { cause })
    this.query = { error, ...reason }
  }
}

/** Returns a handler that wraps any error except a SignInFailure in a SignInFailure. */
export function failWith(code: SignInError) {
  return (cause: unknown): never => {
    if (cause instanceof SignInFailure) throw cause
    throw new SignInFailure(cause instanceof Unavailable ? "provider_unavailable" : code, { cause })
  }
}

export function errorOfProvider(error: string): SignInError {
  // Apple's code for `access_denied`.
  if (error === "user_cancelled_authorize") return "access_denied"
  return providerErrors.find((code) => code === error) ?? "provider_error"
}
