import * as z from "zod"

import { SessionUser } from "../auth/profile.ts"
import { type Operation, LinkedAccount, Status, trustedUrl } from "./operation-fields.ts"

export const accountOperations: Operation[] = [
  {
    path: "/change-password",
    summary: "Change your password",
    description: "Asks for a step-up where the account has a second factor or a passkey.",
    output: z.object({ token: z.string().nullable(), user: SessionUser }),
    cookie: "A new session, if the others are revoked",
    signedIn: true,
    errors: [
      "INVALID_PASSWORD",
      "CREDENTIAL_ACCOUNT_NOT_FOUND",
      "STEP_UP_REQUIRED",
      "TOO_MANY_ATTEMPTS",
      "PASSWORD_OFF",
    ],
  },
  {
    path: "/set-password",
    summary: "Choose a password, where the account has none",
    description: "Asks for a step-up. Ends every reset under way.",
    output: Status,
    signedIn: true,
    errors: ["PASSWORD_EXISTS", "PASSWORD_OFF", "STEP_UP_REQUIRED"],
  },
  {
    path: "/list-accounts",
    summary: "List your ways to sign in",
    description: "The password is `credential`; the others are identity providers.",
    output: z.array(LinkedAccount),
    signedIn: true,
  },
  {
    path: "/link-social",
    id: "linkIdentity",
    summary: "Add an identity provider to your ways to sign in",
    description:
      "Asks for a step-up. Navigate the browser to the URL of the answer; it ends at callbackURL, or at errorCallbackURL with ?error= and a code of returnFromProvider.",
    output: z.object({ url: z.url(), redirect: z.boolean() }),
    cookie: "The sealed state of this sign-in",
    signedIn: true,
    errors: ["PROVIDER_NOT_FOUND", "STEP_UP_REQUIRED"],
  },
  {
    path: "/unlink-account",
    summary: "Remove one of your ways to sign in",
    description:
      "Not the last one. Asks for a step-up. Ends all other sessions. The provider opens the account again only once you have added it.",
    output: Status,
    signedIn: true,
    errors: ["ACCOUNT_NOT_FOUND", "FAILED_TO_UNLINK_LAST_ACCOUNT", "STEP_UP_REQUIRED"],
  },
  {
    path: "/step-up/begin",
    summary: "Ask for a code by e-mail, to show again that it is you",
    description:
      "Where data.ways of STEP_UP_REQUIRED has `email`, as for an account that only identity providers open. Sends eight digits to the account's address, for stepUp in the same session within ten minutes; ten codes in a day.",
    output: z.object({ sent: z.literal(true) }),
    signedIn: true,
    errors: ["STEP_UP_REQUIRED"],
  },
  {
    path: "/step-up",
    summary: "Show again that it is you",
    description:
      "What changes who gets into an account, or acts on somebody else's, asks for it: 403 STEP_UP_REQUIRED, unless all that the account has was shown in the last ten minutes, as at a sign-in, in this browser: the cookie `session_binding`, which a sign-in and this set beside the session's, says that. `data.ways` says which proofs are accepted: only a factor where the account has one, an app or a passkey, or where the session has shown one. `sign-in` is another sign-in, which takes the place of the session: with a provider it counts if it was begun with prompt=login and the provider says when it asked (auth_time). `email` is a code that stepUpBegin sends.",
    output: z.object({ provenAt: z.date() }),
    signedIn: true,
    errors: [
      "INVALID_PASSWORD",
      "INVALID_CODE",
      "PASSKEY_REFUSED",
      "PASSKEYS_OFF",
      "STEP_UP_REQUIRED",
      "TOO_MANY_ATTEMPTS",
    ],
  },
  {
    path: "/delete-user",
    summary: "Delete your account and all its data",
    description:
      "Asks for a step-up. The password is one by itself, where the account has neither a second factor nor a passkey.",
    output: z.object({ success: z.boolean(), message: z.string() }),
    cookie: "The end of the session",
    signedIn: true,
    errors: ["INVALID_PASSWORD", "STEP_UP_REQUIRED", "LAST_OWNER", "TOO_MANY_ATTEMPTS"],
  },
]

const refusedLink = [
  { code: "INVALID_TOKEN", status: 401, message: "Invalid token" },
  { code: "TOKEN_EXPIRED", status: 401, message: "Token expired" },
]

/** Operations that send an e-mail, or that its link leads to. */
export const emailOperations: Operation[] = [
  {
    path: "/send-verification-email",
    summary: "Send the verification e-mail again",
    description:
      "The response does not reveal whether the address has an account. An address gets four emails at once, and then one in ten minutes.",
    output: Status,
    errors: ["VERIFICATION_EMAIL_NOT_ENABLED"],
  },
  {
    path: "/verify-email",
    summary: "Verify an e-mail address",
    description:
      "The link in a verification e-mail, which is valid for a day. Redirects to the page that the sign-up named, or else to callbackURL, with ?error= if nothing was verified. Does not sign in. Anybody can sign up with somebody else's address, so in another browser than the one that signed up the link alone verifies nothing: ?error=PASSWORD_REQUIRED&token= asks the page for verifyEmailWithPassword. An account without a password is verified in a browser that is signed in to it; where there are no passwords, any other has ?error=UNAUTHORIZED.",
    query: z.object({ token: z.string(), callbackURL: trustedUrl }),
    errors: [
      ...refusedLink,
      {
        code: "PASSWORD_REQUIRED",
        status: 401,
        message: "This browser did not sign up: send the token with a password",
      },
      {
        code: "UNAUTHORIZED",
        status: 401,
        message: "Open the link where you are signed in to the account",
      },
    ],
  },
  {
    path: "/verify-email-with-password",
    summary: "Verify an e-mail address in another browser than the one that signed up",
    description:
      "Takes the token that the link left on the page, and either the password chosen at sign-up or a new one, for those who did not sign up or do not remember it. A new one replaces whatever was set on the address before: password, name, image and sessions. Does not sign in.",
    output: Status.extend({ email: z.string() }),
    cookie: "A mark of the browser for the address",
    errors: ["INVALID_PASSWORD", ...refusedLink, "TOO_MANY_ATTEMPTS", "PASSWORD_OFF"],
  },
  {
    path: "/request-password-reset",
    summary: "Send a password reset e-mail",
    description:
      "The response does not reveal whether the address has an account. An address gets four emails at once, and then one in ten minutes; a browser that has signed in with it has as many of its own.",
    output: Status.extend({ message: z.string() }),
    errors: ["RESET_PASSWORD_DISABLED", "PASSWORD_OFF"],
  },
  {
    path: "/reset-password/{token}",
    id: "openPasswordReset",
    summary: "Open the page for choosing a new password",
    description:
      "The link in a password reset e-mail that was requested with redirectTo: redirects there with ?token=, or with ?error= if the link is invalid.",
    query: z.object({
      callbackURL: trustedUrl.describe(
        "A URL on a trusted origin, or one that the e-mail has sealed",
      ),
    }),
    errors: ["PASSWORD_OFF"],
  },
  {
    path: "/reset-password",
    summary: "Set a new password",
    description:
      "The token works once, and no other one after it. Verifies the address, and revokes all sessions of the account.",
    output: Status,
    cookie: "A mark of the browser for the address",
    errors: ["INVALID_TOKEN", "PASSWORD_OFF"],
  },
]
