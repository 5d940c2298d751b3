import type { SuspensionReason } from "../../platform/database/auth.table.ts"
import { Unavailable } from "../../platform/http/outbound.ts"

/** Codes of providers that the front end gets as they are. */
const providerErrors = {
  access_denied: "The user refused at the provider",
  account_selection_required: "The provider needs the user to choose an account",
  consent_required: "The provider needs the user's consent",
  interaction_required: "The provider needs the user to act",
  login_required: "The provider needs the user to sign in there",
  server_error: "The provider failed",
  temporarily_unavailable: "The provider is overloaded",
} as const

/** Reasons why a sign-in with a provider failed: the front end's page gets the code as `?error=`. */
const signInErrors = {
  ...providerErrors,
  account_not_linked: "The address belongs to an account that the sign-in may not enter",
  account_suspended: "The account is suspended, for the reason in `?reason=`",
  email_not_found: "The provider names no valid email address",
  email_not_trusted: "The provider is not trusted for addresses of this domain",
  email_not_verified: "The provider has not verified the email address",
  internal_server_error: "This service failed; its log says why",
  invalid_code: "The code, or what the provider gave for it, is not valid",
  invitation_required: "The identity has no account, and its address is not invited",
  issuer_mismatch: "Another provider answered",
  no_code: "The provider sent no code",
  provider_error: "The provider reported another error",
  provider_not_found: "The provider is not configured any more",
  provider_unavailable: "The provider cannot be reached, or its metadata are not valid",
  second_factor_required: "Go on with signInSecondFactor in this browser, or a passkey",
  sign_up_closed: "The identity has no account, and sign-up is closed",
  state_invalid: "The sign-in's cookie cannot be read",
  state_mismatch:
    "The sign-in was not started in this browser, is finished, or is older than ten minutes",
  state_not_found: "The provider sent no state",
  step_up_required:
    "The session is not proven any more, or not in this browser: step up, and begin again",
  too_many_sign_ups: "Too many accounts were opened from this network today",
  unavailable: "The database cannot be reached; try again later",
} as const

export type SignInError = keyof typeof signInErrors

/** In Markdown. */
export const signInErrorList = Object.entries(signInErrors)
  .map(([code, meaning]) => `- \`${code}\`: ${meaning}.`)
  .toSorted()
  .join("\n")

/** A failure that the front end's page is told. */
export class SignInFailure extends Error {
  /** Parameters of the page. */
  readonly query: { error: SignInError; reason?: SuspensionReason }
  /** @param options `cause` is logged, `reason` is that of a suspension */
  constructor(
    error: SignInError,
    { cause, ...reason }: { reason?: SuspensionReason; cause?: unknown } = {},
  ) {
    super(error, { cause })
    this.query = { error, ...reason }
  }
}

/** Returns what to throw in place of an error that is no failure of a sign-in yet. */
export function failWith(code: SignInError) {
  return (cause: unknown): never => {
    if (cause instanceof SignInFailure) throw cause
    throw new SignInFailure(cause instanceof Unavailable ? "provider_unavailable" : code, { cause })
  }
}

export function errorOfProvider(error: string): SignInError {
  // Apple's word.
  if (error === "user_cancelled_authorize") return "access_denied"
  return isOfProvider(error) ? error : "provider_error"
}

function isOfProvider(code: string): code is keyof typeof providerErrors {
  return Object.hasOwn(providerErrors, code)
}
