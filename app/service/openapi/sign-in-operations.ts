import * as z from "zod"

import { providerHints } from "../auth/bodies.ts"
import { SessionUser } from "../auth/profile.ts"
import { signInErrors } from "../auth/provider/sign-in-error.ts"
import { type Operation, Session, Status, trustedUrl } from "./operation-fields.ts"

const listOfErrors = Object.entries(signInErrors)
  .map(([code, meaning]) => `- \`${code}\`: ${meaning}.`)
  .join("\n")

export const signInOperations: Operation[] = [
  {
    path: "/sign-up/email",
    summary: "Sign up with e-mail and password",
    description:
      "Signs the user in, unless e-mail addresses must be verified: then token is null, a verification e-mail is sent, and an address that already has an account gets the same response as a new one. Several sign-ups with an address that nobody has verified end none of each other: the link that is opened first counts. With an invitation, whose letter has proven the address, the user is verified and signed in.",
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
  {
    path: "/sign-in/email",
    summary: "Sign in with e-mail and password",
    description:
      "Where addresses must be verified, one that is not yet gets the answer to a wrong password: anybody may have signed up with it. After ten wrong passwords within 15 minutes, the correct one is rejected too, except in a browser that has signed in with the address before. That an account is suspended, and why (`data.reason`), or asks for a second factor, is told with the right password alone; 403 SECOND_FACTOR_REQUIRED is not the end: signInSecondFactor goes on.",
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
  {
    path: "/sign-in/code",
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
  {
    path: "/sign-in/code/begin",
    summary: "Ask for a code to sign in with",
    description:
      "Sends eight digits to the address, if it has an account, for signInCode in the same browser, within ten minutes; each ends the one before. The answer is the same for every address. An address gets four of these letters at once, and then one in ten minutes; a browser that has signed in with it has as many of its own.",
    output: z.object({ sent: z.literal(true) }),
    cookie: "What binds the code to the browser, for this host and ten minutes",
    errors: ["EMAIL_CODE_OFF", "RESERVED_ADDRESS"],
  },
  {
    path: "/sign-in/{provider}",
    id: "signInWithProvider",
    summary: "Start signing in with an identity provider",
    description:
      "Navigate the browser to this URL; do not fetch it. If the provider cannot be reached, it redirects to errorCallbackURL with ?error=provider_unavailable.",
    query: z.object({
      callbackURL: trustedUrl.optional(),
      errorCallbackURL: trustedUrl.optional(),
      newUserCallbackURL: trustedUrl.optional(),
      ...providerHints,
    }),
    cookie: "The sealed state of this sign-in",
    errors: ["PROVIDER_NOT_FOUND"],
  },
  {
    path: "/callback/{provider}",
    id: "returnFromProvider",
    summary: "Finish signing in with an identity provider",
    description: `The identity provider redirects here (one that answers by a form comes by postFromProvider). Sets the session cookie and redirects to callbackURL. Every failure redirects to errorCallbackURL, or to the front end where the sign-in is not known, with ?error= and one of these codes:\n\n${listOfErrors}`,
    query: z.object({
      code: z.string().optional(),
      state: z.string().optional(),
      iss: z.string().optional(),
      error: z.string().optional(),
    }),
    cookie: "The session, after a success; ends the state of this sign-in",
  },
]

const Device = z
  .object({
    browser: z.string().nullable().describe("Such as Firefox"),
    system: z.string().nullable().describe("Such as Linux"),
  })
  .describe("What the user agent says; null where it says nothing known")

export const sessionOperations: Operation[] = [
  {
    path: "/get-session",
    summary: "Get the current session, or null",
    description: "Once a day, extends the session and its cookie to a week from now.",
    output: z.object({ session: Session, user: SessionUser }).nullable(),
    cookie: "The session, extended; or its end",
  },
  {
    path: "/sign-out",
    summary: "Sign out",
    output: z.object({ success: z.boolean() }),
    cookie: "The end of the session",
  },
  {
    path: "/list-sessions",
    summary: "List your sessions",
    output: z.array(Session.extend({ device: Device })),
    signedIn: true,
  },
  {
    path: "/revoke-other-sessions",
    summary: "Revoke all your other sessions, and all trust in browsers",
    output: Status,
    signedIn: true,
  },
  {
    path: "/revoke-sessions",
    summary: "Revoke all your sessions, and all trust in browsers",
    output: Status,
    signedIn: true,
  },
  {
    path: "/revoke-session",
    summary: "Revoke a session",
    output: Status,
    signedIn: true,
  },
]

const Descriptor = z.object({ type: z.literal("public-key"), id: z.string() })

const asked = { challenge: z.string(), timeout: z.int().describe("Milliseconds") }

const Asked = z.object({
  get: z
    .object({ ...asked, rpId: z.string(), userVerification: z.literal("required") })
    .optional()
    .describe("For PublicKeyCredential.parseRequestOptionsFromJSON"),
  create: z
    .object({
      ...asked,
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

export const passkeyOperations: Operation[] = [
  {
    path: "/passkey/begin",
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
  {
    path: "/sign-in/passkey",
    summary: "Sign in with a passkey",
    description:
      "The authenticator verifies its owner each time, so it stands for password and second factor. One code for all that is wrong with it.",
    output: z.object({ token: z.string(), user: SessionUser }),
    cookie: "The session",
    errors: ["PASSKEY_REFUSED", "PASSKEYS_OFF", "ACCOUNT_SUSPENDED"],
  },
  {
    path: "/passkey/add",
    summary: "Add a passkey",
    description:
      "Asks for a step-up, and takes a verified address. At most 20; an authenticator that cannot verify its owner is refused.",
    output: z.object({ id: z.string(), name: z.string(), createdAt: z.date() }),
    signedIn: true,
    errors: [
      "PASSKEY_REFUSED",
      "PASSKEYS_OFF",
      "STEP_UP_REQUIRED",
      "EMAIL_NOT_VERIFIED",
      "TOO_MANY_PASSKEYS",
    ],
  },
]

export const factorOperations: Operation[] = [
  {
    path: "/sign-in/second-factor",
    summary: "Go on with a sign-in that asks for a second factor",
    description:
      "After signInEmail has answered 403 SECOND_FACTOR_REQUIRED, or returnFromProvider led to ?error=second_factor_required, in the same browser and within ten minutes. Takes a code of the app, once, or a recovery code, which is spent then. Five tries; an account rejects codes of an app for a day after twenty wrong ones, but for browsers that have signed in before, and recovery codes all the same. A passkey signs in by itself: signInPasskey.",
    output: z.object({
      token: z.string(),
      url: z.string().optional().describe("callbackURL of the sign-in that goes on"),
      user: SessionUser,
    }),
    cookie: "The session, a mark of the browser for the address and, if you like, its trust",
    errors: ["STEP_EXPIRED", "INVALID_CODE", "TOO_MANY_ATTEMPTS", "ACCOUNT_SUSPENDED"],
  },
]
