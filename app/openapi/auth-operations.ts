import * as z from "zod"

import { roles } from "../auth/role.ts"
import { plans } from "../plan/plan.ts"
import { edge, type Failing } from "./error-responses.ts"

const instant = z.iso.datetime()

const User = z.object({
  id: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  name: z.string(),
  image: z.string().nullish(),
  role: z.enum(roles),
  plan: z.enum(plans),
  planUntil: instant.nullish(),
  createdAt: instant,
  updatedAt: instant,
})

const Session = z.object({
  id: z.string(),
  userId: z.string(),
  token: z.string().describe("Names the session to revoke it; worthless as a cookie"),
  ipAddress: z.string().nullish(),
  userAgent: z.string().nullish(),
  expiresAt: instant,
  createdAt: instant,
  updatedAt: instant,
})

const email = z.email().max(254)
const password = z.string().min(8).max(128)
const target = z.string().describe("An URL on a trusted origin")
function fields(...codes: (readonly [string, string])[]): Failing[] {
  return codes.map(([code, message]) => ({ code, status: 400, message }))
}

const unauthorized: Failing = { code: "UNAUTHORIZED", status: 401, message: "Unauthorized" }
const foreign: Failing = {
  code: "INVALID_CALLBACK_URL",
  status: 403,
  message: "Invalid callbackURL",
}
const validation = ["VALIDATION_ERROR", "A field is missing or is not what it should be"] as const
const passwords = [
  ["PASSWORD_TOO_SHORT", "Password too short"],
  ["PASSWORD_TOO_LONG", "Password too long"],
] as const
const invalidPassword = ["INVALID_PASSWORD", "Invalid password"] as const
const limited = edge("TOO_MANY_REQUESTS")

export type AuthOperation = {
  path: string
  /** By default the path in camel case. */
  id?: string
  method: "GET" | "POST"
  summary: string
  description?: string
  body?: z.ZodType
  query?: z.ZodObject
  /** Of a 200; without one the answer is a redirect. */
  output?: z.ZodType
  signedIn?: true
  errors: Failing[]
}

const Done = z.object({ status: z.boolean() })

export const authOperations: AuthOperation[] = [
  {
    path: "/sign-up/email",
    method: "POST",
    summary: "Register with e-mail and password",
    description:
      "Signs in at once, unless addresses must be verified: then token is null, a mail is sent, and a known address is answered like a new one.",
    body: z.object({
      name: z.string().min(1).max(100),
      email,
      password,
      image: z.url().max(2048).optional(),
      callbackURL: target.optional(),
    }),
    output: z.object({ token: z.string().nullable(), user: User }),
    errors: [
      ...fields(
        validation,
        ...passwords,
        ["INVALID_NAME", "Name must not be empty"],
        ["INVALID_EMAIL", "E-mail address must have 64 characters or fewer before its @"],
        ["INVALID_IMAGE", "Image must be an https URL"],
      ),
      { code: "RESERVED_ADDRESS", status: 403, message: "This address is reserved" },
      {
        code: "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL",
        status: 422,
        message: "User already exists. Use another email.",
      },
      ...limited,
    ],
  },
  {
    path: "/sign-in/email",
    method: "POST",
    summary: "Sign in with e-mail and password",
    description: "After ten wrong passwords in a quarter of an hour, right ones are refused too.",
    body: z.object({
      email,
      password: z.string(),
      rememberMe: z.boolean().optional().describe("false: until the browser is closed"),
      callbackURL: target.optional(),
    }),
    output: z.object({
      redirect: z.boolean(),
      token: z.string(),
      url: z.string().optional(),
      user: User,
    }),
    errors: [
      ...fields(validation),
      {
        code: "INVALID_EMAIL_OR_PASSWORD",
        status: 401,
        message: "Invalid email or password",
      },
      { code: "EMAIL_NOT_VERIFIED", status: 403, message: "Email not verified" },
      ...limited,
    ],
  },
  {
    path: "/sign-in/{provider}",
    id: "signInWithProvider",
    method: "GET",
    summary: "Begin to sign in at an identity provider",
    description: "A page to navigate to, not to fetch.",
    query: z.object({
      callbackURL: target.optional(),
      errorCallbackURL: target.optional(),
      newUserCallbackURL: target.optional(),
    }),
    errors: [
      ...fields(validation),
      foreign,
      { code: "PROVIDER_NOT_FOUND", status: 404, message: "Provider not found" },
    ],
  },
  {
    path: "/callback/{provider}",
    id: "returnFromProvider",
    method: "GET",
    summary: "Where the identity provider leads back to",
    description:
      "Sets the session cookie and redirects to callbackURL, or to errorCallbackURL with ?error=: state_mismatch, state_not_found, state_invalid, issuer_mismatch, invalid_code, no_code, email_not_found, email_not_verified, account_not_linked, provider_unavailable, or the provider's own.",
    query: z.object({
      code: z.string().optional(),
      state: z.string().optional(),
      iss: z.string().optional(),
      error: z.string().optional(),
    }),
    errors: [
      ...fields(validation),
      { code: "PROVIDER_NOT_FOUND", status: 404, message: "Provider not found" },
    ],
  },
  {
    path: "/get-session",
    method: "GET",
    summary: "Read the current session",
    description: "Null for nobody. Once a day it renews the session and its cookie for a week.",
    output: z.object({ session: Session, user: User }).nullable(),
    errors: [],
  },
  {
    path: "/sign-out",
    method: "POST",
    summary: "End the session",
    output: z.object({ success: z.boolean() }),
    errors: limited,
  },
  {
    path: "/list-sessions",
    method: "GET",
    summary: "List one's sessions",
    output: z.array(Session),
    signedIn: true,
    errors: [unauthorized],
  },
  ...(["/revoke-other-sessions", "/revoke-sessions"] as const).map((path): AuthOperation => ({
    path,
    method: "POST",
    summary: path === "/revoke-sessions" ? "End all of one's sessions" : "End the other sessions",
    output: Done,
    signedIn: true,
    errors: [unauthorized, ...limited],
  })),
  {
    path: "/revoke-session",
    method: "POST",
    summary: "End one of one's sessions",
    body: z.object({ token: z.string() }),
    output: Done,
    signedIn: true,
    errors: [...fields(validation), unauthorized, ...limited],
  },
  {
    path: "/change-password",
    method: "POST",
    summary: "Change the password",
    body: z.object({
      currentPassword: z.string(),
      newPassword: password,
      revokeOtherSessions: z.boolean().optional(),
    }),
    output: z.object({ token: z.string().nullable(), user: User }),
    signedIn: true,
    errors: [
      ...fields(validation, invalidPassword, ...passwords, [
        "CREDENTIAL_ACCOUNT_NOT_FOUND",
        "Credential account not found",
      ]),
      unauthorized,
      ...limited,
    ],
  },
  {
    path: "/delete-user",
    method: "POST",
    summary: "Delete one's account with all it has",
    description: "Takes the password, or a session that is younger than a day.",
    body: z.object({ password: z.string().optional() }),
    output: z.object({ success: z.boolean(), message: z.string() }),
    signedIn: true,
    errors: [
      ...fields(
        validation,
        invalidPassword,
        ["SESSION_EXPIRED", "Session expired"],
        ["CREDENTIAL_ACCOUNT_NOT_FOUND", "Credential account not found"],
      ),
      unauthorized,
      {
        code: "LAST_OWNER",
        status: 409,
        message: "The last owner must stay; make another one first",
      },
      ...limited,
    ],
  },
]
