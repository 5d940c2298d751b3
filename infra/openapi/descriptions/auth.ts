import * as z from "zod"

import { linkMessages } from "../../../app/service/account/sign-up/email-verification.ts"
import { factors } from "../../../app/service/platform/database/auth.table.ts"
import { Device } from "../../../app/service/platform/http/device.ts"
import { SessionUser } from "../../../app/service/session/profile.ts"
import type { Descriptions } from "../operation.ts"

const Status = z.object({ status: z.boolean() })

const Session = z.object({
  id: z.string(),
  userId: z.string(),
  token: z.string().describe("Identifies the session when revoking it; not valid as a cookie"),
  ipAddress: z.string().nullish(),
  userAgent: z.string().nullish(),
  expiresAt: z.date(),
  remembered: z.boolean().describe("false: it ends with the browser"),
  factor: z
    .enum(factors)
    .nullish()
    .describe(
      "The second factor that it was shown; trusted: a browser that has shown one before. Null if the account has none",
    ),
  provenAt: z
    .date()
    .nullish()
    .describe("When all that the account has was last shown; null: not in this session"),
  name: z.string().nullish().describe("What its owner calls the device"),
  createdAt: z.date(),
  updatedAt: z.date(),
})

const LinkedAccount = z.object({
  id: z.string(),
  userId: z.string(),
  providerId: z.string(),
  accountId: z.string().describe("The user's id at the provider"),
  scopes: z.array(z.string()),
  createdAt: z.date(),
  updatedAt: z.date(),
})

const Descriptor = z.object({ type: z.literal("public-key"), id: z.string() })

const terms = { challenge: z.string(), timeout: z.int().describe("Milliseconds") }

const Asked = z.object({
  get: z
    .object({ ...terms, rpId: z.string(), userVerification: z.literal("required") })
    .optional()
    .describe("For PublicKeyCredential.parseRequestOptionsFromJSON"),
  create: z
    .object({
      ...terms,
      rp: z.object({ id: z.string(), name: z.string() }),
      user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
      pubKeyCredParams: z.array(z.object({ type: z.literal("public-key"), alg: z.int() })),
      excludeCredentials: z.array(Descriptor),
      authenticatorSelection: z.object({
        residentKey: z.literal("required"),
        requireResidentKey: z.literal(true),
        userVerification: z.literal("required"),
      }),
      attestation: z.literal("none"),
    })
    .optional()
    .describe("To add one: for PublicKeyCredential.parseCreationOptionsFromJSON"),
})

const refusedLink = [linkError("INVALID_TOKEN"), linkError("TOKEN_EXPIRED")]

function linkError(code: keyof typeof linkMessages) {
  return { code, status: 401, message: linkMessages[code] }
}

export const auth: Descriptions = {
  paths: {
    "/sign-up/email": {
      summary: "Sign up with e-mail and password",
      description:
        "Signs the user in, unless email addresses must be verified: then token is null, a verification email is sent, and an address that already has an account gets the same response as a new one. Several sign-ups with an address that is not verified yet do not end each other: the link that is opened first counts. With an invitation, whose email has proven the address, the user is verified and signed in.",
      output: z.object({ token: z.string().nullable(), user: SessionUser }),
      cookie:
        "A mark of the browser that waits for the e-mail, and the session, if the user is signed in",
      errors: [
        "SIGN_UP_CLOSED",
        "INVITATION_REQUIRED",
        "PASSWORD_OFF",
        "RESERVED_ADDRESS",
        "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL",
      ],
    },
    "/sign-in/email": {
      summary: "Sign in with e-mail and password",
      description:
        "Where addresses must be verified, one that is not yet gets the answer to a wrong password: anyone may have signed up with it. After ten wrong passwords within 15 minutes, the correct one is rejected too, except in a browser that has signed in with the address before. That an account is suspended, and why (`data.reason`), or asks for a second factor, is told with the right password alone; 403 SECOND_FACTOR_REQUIRED is not the end: signInSecondFactor goes on.",
      output: z.object({
        redirect: z.boolean(),
        token: z.string(),
        url: z.string().optional(),
        user: SessionUser,
      }),
      cookie: "The session, and a mark of the browser for the address",
      errors: [
        "INVALID_EMAIL_OR_PASSWORD",
        "TOO_MANY_ATTEMPTS",
        "ACCOUNT_SUSPENDED",
        "SECOND_FACTOR_REQUIRED",
        "PASSWORD_OFF",
      ],
    },
    "/sign-in/code": {
      summary: "Sign in with a code from an e-mail",
      description:
        "In the browser that asked for it by signInCodeBegin: elsewhere it is nothing. Five tries a code. It works once, and verifies the address: what others have set on an account that was not verified goes. That an account is suspended, or asks for a second factor, is told with the right code alone.",
      output: z.object({ token: z.string(), user: SessionUser }),
      cookie: "The session, and a mark of the browser for the address",
      errors: [
        "INVALID_CODE",
        "TOO_MANY_ATTEMPTS",
        "ACCOUNT_SUSPENDED",
        "SECOND_FACTOR_REQUIRED",
        "EMAIL_CODE_OFF",
      ],
    },
    "/sign-in/code/begin": {
      summary: "Ask for a code to sign in with",
      description:
        "Sends eight digits to the address, if it has an account, for signInCode in the same browser, within ten minutes; each ends the one before. The answer is the same for every address. An address gets four of these emails at once, and then one in ten minutes; a browser that has signed in with it has as many of its own.",
      output: z.object({ sent: z.literal(true) }),
      cookie: "What binds the code to the browser, for this host and ten minutes",
      errors: ["EMAIL_CODE_OFF", "RESERVED_ADDRESS"],
    },
    "/get-session": {
      summary: "Get the current session, or null",
      description: "Once a day, extends the session and its cookie to a week from now.",
      output: z.object({ session: Session, user: SessionUser }).nullable(),
      cookie: "The session, extended; or its end",
    },
    "/sign-out": {
      summary: "Sign out",
      output: z.object({ success: z.boolean() }),
      cookie: "The end of the session",
    },
    "/list-sessions": {
      summary: "List your sessions",
      output: z.array(
        Session.extend({
          device: Device.describe("What the user agent says; null if it names nothing known"),
        }),
      ),
    },
    "/revoke-other-sessions": {
      summary: "Revoke all your other sessions, and all trust in browsers",
      output: Status,
    },
    "/revoke-sessions": {
      summary: "Revoke all your sessions, and all trust in browsers",
      output: Status,
    },
    "/revoke-session": {
      summary: "Revoke a session",
      output: Status,
    },
    "/change-password": {
      summary: "Change your password",
      description: "Asks for a step-up where the account has a second factor or a passkey.",
      output: z.object({ token: z.string().nullable(), user: SessionUser }),
      cookie: "A new session, if the others are revoked",
      errors: [
        "INVALID_PASSWORD",
        "CREDENTIAL_ACCOUNT_NOT_FOUND",
        "STEP_UP_REQUIRED",
        "TOO_MANY_ATTEMPTS",
        "PASSWORD_OFF",
      ],
    },
    "/set-password": {
      summary: "Choose a password, where the account has none",
      description: "Asks for a step-up. Ends every reset under way.",
      output: Status,
      errors: ["PASSWORD_EXISTS", "PASSWORD_OFF", "STEP_UP_REQUIRED"],
    },
    "/list-accounts": {
      summary: "List your password and identity providers",
      description: "The password is `credential`; the others are identity providers.",
      output: z.array(LinkedAccount),
    },
    "/unlink-account": {
      summary: "Remove one of your sign-in methods",
      description:
        "Not the last one. Asks for a step-up. Ends all other sessions. The provider opens the account again only once you have added it.",
      output: Status,
      errors: ["ACCOUNT_NOT_FOUND", "FAILED_TO_UNLINK_LAST_ACCOUNT", "STEP_UP_REQUIRED"],
    },
    "/step-up/begin": {
      summary: "Ask for a code by email, to show again that it is you",
      description:
        "If `data.ways` of STEP_UP_REQUIRED has `email`, as for an account that only identity providers open. Sends eight digits to the account's address, for stepUp in the same session within ten minutes; ten codes in a day.",
      output: z.object({ sent: z.literal(true) }),
      errors: ["STEP_UP_REQUIRED"],
    },
    "/step-up": {
      summary: "Show again that it is you",
      description:
        "Changes of who can sign in to an account, and actions on the account of another user, ask for it: 403 STEP_UP_REQUIRED, unless all that the account has was shown in the last ten minutes, as at a sign-in, in this browser: the cookie `session_binding`, which a sign-in and this set beside the session's, says that. `data.ways` says which proofs are accepted: only a factor where the account has one, an app or a passkey, or where the session has shown one. `sign-in` is another sign-in, which takes the place of the session: with a provider it counts if it was begun with prompt=login and the provider says when it asked (auth_time). `email` is a code that stepUpBegin sends.",
      output: z.object({ provenAt: z.date() }),
      errors: [
        "INVALID_PASSWORD",
        "INVALID_CODE",
        "PASSKEY_REFUSED",
        "PASSKEYS_OFF",
        "STEP_UP_REQUIRED",
        "TOO_MANY_ATTEMPTS",
      ],
    },
    "/delete-user": {
      summary: "Delete your account and all its data",
      description:
        "Asks for a step-up. The password is one by itself, where the account has neither a second factor nor a passkey.",
      output: z.object({ success: z.boolean(), message: z.string() }),
      cookie: "The end of the session",
      errors: ["INVALID_PASSWORD", "STEP_UP_REQUIRED", "LAST_OWNER", "TOO_MANY_ATTEMPTS"],
    },
    "/send-verification-email": {
      summary: "Send the verification e-mail again",
      description:
        "The response does not reveal whether the address has an account. An address gets four emails at once, and then one in ten minutes.",
      output: Status,
      errors: ["VERIFICATION_EMAIL_NOT_ENABLED"],
    },
    "/verify-email": {
      summary: "Verify an e-mail address",
      description:
        "The link in a verification email, which is valid for a day. Redirects to the page that the sign-up named, or else to callbackURL, with ?error= if nothing was verified. Does not sign in. Anyone can sign up with someone else's address, so in another browser than the one that signed up the link alone verifies nothing: ?error=PASSWORD_REQUIRED&token= asks the page for verifyEmailWithPassword. An account without a password is verified in a browser that is signed in to it; where there are no passwords, any other has ?error=UNAUTHORIZED.",
      query: z.object({ token: z.string(), callbackURL: z.string() }),
      errors: [...refusedLink, linkError("PASSWORD_REQUIRED"), linkError("UNAUTHORIZED")],
    },
    "/verify-email-with-password": {
      summary: "Verify an e-mail address in another browser than the one that signed up",
      description:
        "Takes the token that the link left on the page, and either the password chosen at sign-up or a new one, for those who did not sign up or do not remember it. A new one replaces whatever was set on the address before: password, name, image and sessions. Does not sign in.",
      output: Status.extend({ email: z.string() }),
      cookie: "A mark of the browser for the address",
      errors: ["INVALID_PASSWORD", ...refusedLink, "TOO_MANY_ATTEMPTS", "PASSWORD_OFF"],
    },
    "/request-password-reset": {
      summary: "Send a password reset e-mail",
      description:
        "The response does not reveal whether the address has an account. An address gets four emails at once, and then one in ten minutes; a browser that has signed in with it has as many of its own.",
      output: Status.extend({ message: z.string() }),
      errors: ["RESET_PASSWORD_DISABLED", "PASSWORD_OFF"],
    },
    "/reset-password/:token": {
      id: "openPasswordReset",
      summary: "Open the page for choosing a new password",
      description:
        "The link in a password reset e-mail that was requested with redirectTo: redirects there with ?token=, or with ?error= if the link is invalid.",
      query: z.object({
        callbackURL: z
          .string()
          .describe("A URL on a trusted origin, or one that the e-mail has sealed"),
      }),
      errors: ["PASSWORD_OFF"],
    },
    "/reset-password": {
      summary: "Set a new password",
      description:
        "The token works once, and no other one after it. Verifies the address, and revokes all sessions of the account.",
      output: Status,
      cookie: "A mark of the browser for the address",
      errors: ["INVALID_TOKEN", "PASSWORD_OFF"],
    },
    "/passkey/begin": {
      summary: "Ask for what a passkey has to answer",
      description:
        "Give the answer to navigator.credentials, and the toJSON() of what that returns to signInPasskey, stepUp or passkeyAdd, within five minutes, from the same browser. To add one takes a session with a step-up, so that no device makes one that is refused.",
      output: Asked,
      cookie: "The challenge, for this host and five minutes",
      errors: [
        "PASSKEYS_OFF",
        "UNAUTHORIZED",
        "SESSION_CHANGED",
        "STEP_UP_REQUIRED",
        "EMAIL_NOT_VERIFIED",
        "TOO_MANY_PASSKEYS",
      ],
    },
    "/sign-in/passkey": {
      summary: "Sign in with a passkey",
      description:
        "The authenticator verifies its owner each time, so it stands for password and second factor. One code for all that is wrong with it.",
      output: z.object({ token: z.string(), user: SessionUser }),
      cookie: "The session",
      errors: ["PASSKEY_REFUSED", "PASSKEYS_OFF", "ACCOUNT_SUSPENDED"],
    },
    "/passkey/add": {
      summary: "Add a passkey",
      description:
        "Asks for a step-up, and takes a verified address. At most 20; an authenticator that cannot verify its owner is refused.",
      output: z.object({ id: z.string(), name: z.string(), createdAt: z.date() }),
      errors: [
        "PASSKEY_REFUSED",
        "PASSKEYS_OFF",
        "STEP_UP_REQUIRED",
        "EMAIL_NOT_VERIFIED",
        "TOO_MANY_PASSKEYS",
      ],
    },
    "/sign-in/second-factor": {
      summary: "Go on with a sign-in that asks for a second factor",
      description:
        "After signInEmail has answered 403 SECOND_FACTOR_REQUIRED, or returnFromProvider led to ?error=second_factor_required, in the same browser and within ten minutes. Takes a code of the app, once, or a recovery code, which is spent then. Five tries; an account rejects codes of an app for a day after twenty wrong ones, except in browsers that have signed in before, and still accepts recovery codes. A passkey signs in by itself: signInPasskey.",
      output: z.object({
        token: z.string(),
        url: z.string().optional().describe("callbackURL of the sign-in that goes on"),
        user: SessionUser,
      }),
      cookie: "The session, a mark of the browser for the address and, if you like, its trust",
      errors: ["STEP_EXPIRED", "INVALID_CODE", "TOO_MANY_ATTEMPTS", "ACCOUNT_SUSPENDED"],
    },
  },
  fields: {
    "verifyEmailWithPassword.body.password": "The password chosen at sign-up",
    "stepUp.body.emailCode": "Of the e-mail that stepUpBegin sends",
    "body.turnstile":
      "Where settings has turnstile: the token of a widget, whose action is this path with dashes, such as sign-up-email",
    callbackURL: "A URL on a trusted origin",
    "signUpEmail.body.callbackURL":
      "A URL of the front end whose path is / or one of accounts:letterPages",
    "sendVerificationEmail.body.callbackURL":
      "A URL of the front end whose path is / or one of accounts:letterPages",
    "body.errorCallbackURL":
      "A URL of the front end whose path is / or one of accounts:letterPages",
    "body.rememberMe": "false: the session ends with the browser",
    "signUpEmail.body.invitation": "The token in the link of an invitation",
    "verifyEmailWithPassword.body.newPassword": "Replaces it; leave out password then",
    "body.recoveryCode": "Dashes, spaces and capitals do not matter",
    "body.passkey.response.userHandle":
      "The user that the passkey belongs to: a passkey that names none is refused",
    "requestPasswordReset.body.redirectTo":
      "A URL of the front end whose path is / or one of accounts:letterPages",
    "signInSecondFactor.body.trustBrowser":
      "true: sign-ins of this browser ask for no second factor for thirty days",
  },
}
