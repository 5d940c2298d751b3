import type { SuspensionReason } from "../../platform/database/auth.table.ts"

/** Reasons why a sign-in with a provider failed: the front end's page gets the code as `?error=`. */
const signInErrors = {
  access_denied: "The user refused at the provider",
  account_not_linked: "The address belongs to an account that the sign-in may not enter",
  account_suspended: "The account is suspended, for what `?reason=` says",
  account_selection_required: "The provider needs the user to choose an account",
  consent_required: "The provider needs the user's consent",
  email_not_found: "The provider names no valid e-mail address",
  email_not_trusted: "The provider is not believed about addresses of this domain",
  email_not_verified: "The provider has not verified the e-mail address",
  interaction_required: "The provider needs the user to act",
  internal_server_error: "This service failed; its log says why",
  invalid_code: "The code, or what the provider gave for it, is not valid",
  invitation_required: "The identity has no account, and nobody has invited its address",
  issuer_mismatch: "Another provider answered",
  login_required: "The provider needs the user to sign in there",
  no_code: "The provider sent no code",
  provider_error: "The provider reported another error",
  provider_not_found: "The provider is not configured any more",
  provider_unavailable: "The provider cannot be reached, or its metadata are not valid",
  second_factor_required: "Go on with signInSecondFactor in this browser, or a passkey",
  server_error: "The provider failed",
  sign_up_closed: "The identity has no account, and nobody can sign up here",
  state_invalid: "The sign-in's cookie cannot be read",
  state_mismatch:
    "The sign-in was not started in this browser, is finished, or is older than ten minutes",
  state_not_found: "The provider sent no state",
  step_up_required:
    "The session is not proven any more, or not in this browser: step up, and begin again",
  temporarily_unavailable: "The provider is overloaded",
  too_many_sign_ups:
    "So many accounts were opened from this network that no more are until tomorrow",
  unavailable: "The database cannot be reached; try again later",
} as const

export type SignInError = keyof typeof signInErrors

/** In Markdown. */
export const signInErrorList = Object.entries(signInErrors)
  .map(([code, meaning]) => `- \`${code}\`: ${meaning}.`)
  .join("\n")

/** A failure that the front end's page is told. */
export class SignInFailure extends Error {
  readonly code: SignInError
  /** Reason of a suspension. */
  readonly reason: SuspensionReason | undefined
  /** @param options `cause` is logged, `reason` is told to the front end */
  constructor(
    code: SignInError,
    { reason, cause }: { reason?: SuspensionReason; cause?: unknown } = {},
  ) {
    super(code, { cause })
    this.code = code
    this.reason = reason
  }
}

/** Codes of providers that the front end gets as they are. */
const passedOn: SignInError[] = [
  "access_denied",
  "account_selection_required",
  "consent_required",
  "interaction_required",
  "login_required",
  "server_error",
  "temporarily_unavailable",
]

export function errorOfProvider(error: string): SignInError {
  // Apple's word.
  if (error === "user_cancelled_authorize") return "access_denied"
  return passedOn.find((code) => code === error) ?? "provider_error"
}
