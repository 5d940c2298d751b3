import type { Failure, OperationId } from "../../../../packages/client/src/index.ts"
import { inTime } from "../../../service/platform/mail/language.ts"

/** Failures for which each page has a text of its own: an outage, an ended session, a form of another site, a wait. */
type SaidElsewhere =
  | "ABORTED"
  | "BAD_REQUEST"
  | "INTERNAL_SERVER_ERROR"
  | "INVALID_ORIGIN"
  | "INVALID_SIGNATURE"
  | "MISSING_OR_NULL_ORIGIN"
  | "SERVICE_MISCONFIGURED"
  | "TOO_MANY_ATTEMPTS"
  | "TOO_MANY_REQUESTS"
  | "UNAUTHORIZED"
  | "UNAVAILABLE"
  | "UNREACHABLE"
  | "UNSUPPORTED_MEDIA_TYPE"

type Code = { [Id in OperationId]: Failure<Id>["code"] }[OperationId]
type Codes = Record<Exclude<Code, SaidElsewhere>, string>

/** Texts that tell how an action ended: done or refused. */
export const outcome = {
  /** Shown after an action succeeded. */
  done: {
    forgotten: "Every browser asks for a code again.",
    withdrawn: "Your consent is withdrawn.",
    ended: "Your session has ended. Please sign in again.",
    factor: "Set up a second factor first: this site asks your account for one.",
    gone: "Your account has been deleted.",
    invited: "The invitation is on its way.",
    letter: "If there is an account, an email is on its way.",
    out: "You are signed out.",
    passkey: "Removed here. Remove it on the device, too: it still offers it.",
    password: "Your password has been changed. Sign in with it.",
    proven: "Thank you. You can do it now.",
    recorded: "Recorded.",
    saved: "Saved.",
    verified: "Your address is verified. You can sign in now.",
  },
  /** Said about a field that was refused. */
  fields: {
    name: "Please enter a name of up to 100 characters.",
    email: "Please enter a valid email address.",
    password: "Please choose a password of 8 to 128 characters.",
    newEmail: "Please enter a valid email address.",
    code: "Please enter all digits of the code.",
    newPassword: "Please choose a password of 8 to 128 characters.",
    until: "Please enter a day in the future.",
    other: "Please check this.",
  },
  tooMany: (seconds: number) => `Too many attempts. Try again ${inTime("en", seconds)}.`,
  /** Shown only to a user who has proven that the account is theirs, because the reason is private. */
  suspended: {
    abuse: "This account is suspended for a breach of the rules.",
    security: "This account is suspended to protect it.",
    payment: "This account is suspended over a payment.",
    request: "This account is suspended, as was asked for.",
    other: "This account is suspended.",
  },
  wrongPassword: "Wrong address or password.",
  askOperator: "Ask those who run this site.",
  /** Texts for the codes of the API; the type refuses to miss one. */
  codes: {
    ACCOUNT_NOT_FOUND: "This sign-in method has already been removed.",
    ACCOUNT_SUSPENDED: "This account is suspended. Ask those who run this site.",
    ALREADY_UNLOCKED: "This has already been paid for.",
    CREDENTIAL_ACCOUNT_NOT_FOUND: "Your account has no password.",
    INVALID_CODE: "This is not the code, or it is too old or used already. Each works once.",
    FORMER_ADDRESS_GONE:
      "The account has not had this address in the last thirty days, or another account has it now.",
    EMAIL_TAKEN: "This address has an account already.",
    EMAIL_NOT_VERIFIED: "Verify the address of your account first.",
    PASSWORD_EXISTS: "Your account has a password already.",
    FAILED_TO_UNLINK_LAST_ACCOUNT: "This is your only sign-in method, so it stays.",
    EMAIL_CODE_OFF: "Codes by email are not offered here.",
    SECOND_FACTOR_REQUIRED: "Your account also asks for a code.",
    SECOND_FACTOR_MISSING:
      "This site asks your account for a second factor. Set one up, or show the one that you have.",
    SECOND_FACTOR_MANDATORY:
      "This site asks your account for a second factor. Put another one in its place.",
    SECOND_FACTOR_NOT_OFFERED: "A second factor is not offered here.",
    SECOND_FACTOR_OFF: "Your account has no second factor. Turn it on first.",
    STEP_EXPIRED: "This took too long, or had too many wrong codes. Please sign in again.",
    PASSKEYS_OFF: "Passkeys are not offered here.",
    PASSKEY_REFUSED: "This passkey does not work here, or it took too long. Try it again.",
    TOO_MANY_PASSKEYS: "You have 20 passkeys. Remove one first.",
    LAST_WAY: "It is the last sign-in method of your account. Add another one first.",
    FORBIDDEN: "You may not do this to this member.",
    INVALID_EMAIL_OR_PASSWORD:
      "Wrong address or password, or you have not opened the link in our email yet.",
    INVITATION_REQUIRED: "To sign up here, open the link of an invitation to this address.",
    INVALID_PASSWORD: "This is not your password.",
    INVALID_TOKEN: "This link no longer works.",
    LAST_OWNER: "The last owner must stay: make another owner first.",
    MEMBER_NOT_VERIFIED: "This member has not verified their address yet. Ask them to do so first.",
    MISSING: "Please tick the box if you are sure.",
    NOT_FOUND: "This no longer exists.",
    PASSWORD_BREACHED: "This password is known from a leak elsewhere. Please choose another one.",
    PASSWORD_OFF: "Passwords are not offered here.",
    PAYMENT_NOT_CONFIGURED: "There are no payments here.",
    PAYMENT_UNAVAILABLE: "The payment service cannot be reached. Try again in a moment.",
    PROVIDER_NOT_FOUND: "This provider is not offered any more.",
    RESERVED_ADDRESS: "This address cannot be used.",
    SESSION_CHANGED: "Another account is signed in now. Look again before you repeat it.",
    STEP_UP_REQUIRED: "Show again that it is you, and then repeat this.",
    SIGN_UP_CLOSED: "Sign-up is closed here.",
    TOKEN_EXPIRED: "This link is too old.",
    TOO_MANY_CONSENTS: "There are already too many consents.",
    TURNSTILE_REFUSED: "Please pass the check below the form. It needs JavaScript.",
    TURNSTILE_UNAVAILABLE:
      "The check below the form does not answer. Please try again in a moment.",
    USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL:
      "There is an account with this address. Sign in instead.",
    PASSWORD_REQUIRED: "You did not sign up in this browser, so we ask for your password.",
    PAYLOAD_TOO_LARGE: "That is too long.",
    PAYMENT_PROCESSING: "A payment for this is on its way already.",
    PAYMENT_REQUIRED: "This has to be paid for first.",
    PLAN_LIMIT_REACHED: "Your plan does not allow any more of these.",
    RESET_PASSWORD_DISABLED: "Passwords are not reset by email here.",
    UNEXPECTED_ANSWER: "That did not work. Please try again.",
    VERIFICATION_EMAIL_NOT_ENABLED: "No emails are sent here.",
    access_denied: "You declined at the provider.",
    account_not_linked: "This address has an account. Sign in to it, and add the provider there.",
    email_not_found: "The provider gave us no email address.",
    email_not_verified: "The provider has not verified your address.",
    provider_unavailable: "The provider cannot be reached. Try again in a moment.",
    unavailable: "We could not answer. Nothing is lost: try again in a moment.",
    other: "That did not work. Please try again.",
  } satisfies Codes & Record<string, string>,
}
