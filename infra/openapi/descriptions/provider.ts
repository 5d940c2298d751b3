import * as z from "zod"

import { Callback, Start } from "../../../app/service/sign-in/provider/openid-sign-in.ts"
import type { SignInError } from "../../../app/service/sign-in/provider/sign-in-error.ts"
import type { Descriptions } from "../operation.ts"

const signInErrors: Record<SignInError, string> = {
  access_denied: "The user refused at the provider",
  account_selection_required: "The provider needs the user to choose an account",
  consent_required: "The provider needs the user's consent",
  interaction_required: "The provider needs the user to act",
  login_required: "The provider needs the user to sign in there",
  server_error: "The provider failed",
  temporarily_unavailable: "The provider is overloaded",

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
}

/** In Markdown. */
const signInErrorList = Object.entries(signInErrors)
  .map(([code, meaning]) => `- \`${code}\`: ${meaning}.`)
  .toSorted()
  .join("\n")

export const provider: Descriptions = {
  paths: {
    "/sign-in/:provider": {
      id: "signInWithProvider",
      summary: "Start signing in with an identity provider",
      description:
        "Navigate the browser to this URL; do not fetch it. If the provider cannot be reached, it redirects to errorCallbackURL with ?error=provider_unavailable.",
      query: Start,
      cookie: "The sealed state of this sign-in",
      errors: ["PROVIDER_NOT_FOUND"],
    },
    "/callback/:id": {
      id: "returnFromProvider",
      summary: "Finish signing in with an identity provider",
      description: `The identity provider redirects here (with a form, by postFromProvider). Sets the session cookie and redirects to callbackURL. Every failure redirects to errorCallbackURL, or to the front end where the sign-in is not known, with ?error= and one of these codes:\n\n${signInErrorList}`,
      query: Callback.omit({ name: true }),
      cookie: "The session, after a success; ends the state of this sign-in",
    },
    "/link-social": {
      id: "linkIdentity",
      summary: "Add an identity provider to your sign-in methods",
      description:
        "Asks for a step-up. Navigate the browser to the URL of the answer; it ends at callbackURL, or at errorCallbackURL with ?error= and a code of returnFromProvider.",
      output: z.object({ url: z.url(), redirect: z.boolean() }),
      cookie: "The sealed state of this sign-in",
      errors: ["PROVIDER_NOT_FOUND", "STEP_UP_REQUIRED"],
    },
  },
  fields: {
    "linkIdentity.body.errorCallbackURL": "A URL on a trusted origin",
    "signInWithProvider.errorCallbackURL": "A URL on a trusted origin",
    "signInWithProvider.newUserCallbackURL": "A URL on a trusted origin",
    prompt: "What the provider asks, also of a user who is signed in there",
    loginHint: "The address that the provider fills in",
  },
}
