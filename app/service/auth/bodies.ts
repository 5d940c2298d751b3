import * as z from "zod"

import { Email } from "./email-address.ts"
import { Code, digits } from "./emailed-code/emailed-code.ts"
import { Assertion, Attestation, purposes } from "./passkey/credential.ts"
import { Image, Name } from "./profile.ts"

export const passwordLength = { minimum: 8, maximum: 128 }

/** Counts characters, as people do, not UTF-16's units, and those that the hash is made of. */
const NewPassword = z
  .string()
  .normalize("NFKC")
  .check(({ value, issues }) => {
    const { length } = Array.from(value)
    const { minimum, maximum } = passwordLength
    const found = { origin: "string", inclusive: true, input: value } as const
    if (length < minimum) issues.push({ code: "too_small", minimum, ...found })
    if (length > maximum) issues.push({ code: "too_big", maximum, ...found })
  })
  .meta({ minLength: passwordLength.minimum, maxLength: passwordLength.maximum })

/** For the provider: on a shared computer it would let the one before in again, without a question. */
export const providerHints = {
  prompt: z
    .enum(["login", "select_account", "consent"])
    .optional()
    .describe("What the provider asks, also of somebody who is signed in there"),
  loginHint: z.string().max(254).optional().describe("The address that the provider fills in"),
}

const Page = z.string().describe("A URL on a trusted origin")
/** A letter leads nowhere else: whoever asks for one need not own the address. */
const PageOfLetter = z
  .string()
  .describe("A URL of the front end whose path is / or one of accounts:letterPages")

/** Anybody's password, old or new: what it must be is told where one is chosen. */
const Password = z.string().max(1000)

/** Of an app. */
export const AppCode = digits(6, "Must be six digits")

const RecoveryCode = z.string().max(40).describe("Dashes, spaces and capitals do not matter")

function hasOne(given: Record<string, unknown>) {
  return Object.values(given).filter((one) => one !== undefined).length === 1
}

/** A token has 2048 characters at most. */
const Turnstile = z
  .string()
  .max(2048)
  .describe(
    "Where settings has turnstile: the token of a widget, whose action is this path with dashes, such as sign-up-email",
  )
  .optional()

/** What each path takes, for the check before the library, for its endpoint and for the description. */
export const bodies = {
  "/sign-up/email": z.object({
    name: Name,
    email: Email,
    password: NewPassword,
    image: Image.optional(),
    callbackURL: PageOfLetter.optional(),
    errorCallbackURL: PageOfLetter.optional(),
    rememberMe: z.boolean().optional().describe("false: the session ends with the browser"),
    invitation: z.string().max(100).optional().describe("The token of an invitation's letter"),
    turnstile: Turnstile,
  }),
  "/sign-in/email": z.object({
    email: Email,
    password: Password,
    rememberMe: z.boolean().optional().describe("false: the session ends with the browser"),
    callbackURL: Page.optional(),
  }),
  "/send-verification-email": z.object({
    email: Email,
    callbackURL: PageOfLetter.optional(),
    errorCallbackURL: PageOfLetter.optional(),
    turnstile: Turnstile,
  }),
  "/verify-email-with-password": z
    .object({
      token: z.string(),
      password: Password.optional().describe("The password chosen at sign-up"),
      newPassword: NewPassword.optional().describe("Replaces it; leave out password then"),
    })
    .refine(
      ({ password, newPassword }) => (password === undefined) !== (newPassword === undefined),
      { path: ["password"], error: "Must be sent, or newPassword, and not both" },
    ),
  "/request-password-reset": z.object({
    email: Email,
    redirectTo: PageOfLetter.optional(),
    turnstile: Turnstile,
  }),
  "/reset-password": z.object({ newPassword: NewPassword, token: z.string() }),
  "/change-password": z.object({
    currentPassword: Password,
    newPassword: NewPassword,
    revokeOtherSessions: z.boolean().optional(),
  }),
  "/set-password": z.object({ newPassword: NewPassword }),
  "/link-social": z.object({
    provider: z.string(),
    callbackURL: Page.optional(),
    errorCallbackURL: Page.optional(),
    ...providerHints,
  }),
  "/unlink-account": z.object({
    providerId: z.string().max(255),
    accountId: z.string().max(255).optional(),
  }),
  "/step-up/begin": z.object({}),
  "/step-up": z
    .object({
      password: Password.optional(),
      code: AppCode.optional(),
      recoveryCode: RecoveryCode.optional(),
      passkey: Assertion.optional(),
      emailCode: Code.optional().describe("Of the e-mail that stepUpBegin sends"),
    })
    .refine(hasOne, {
      path: ["password"],
      error: "Must be sent, or code, recoveryCode, passkey or emailCode, and one of them alone",
    }),
  "/passkey/begin": z.object({ for: z.enum(purposes) }),
  "/passkey/add": z.object({ passkey: Attestation, name: Name }),
  "/sign-in/passkey": z.object({
    passkey: Assertion,
    rememberMe: z.boolean().optional().describe("false: the session ends with the browser"),
  }),
  "/sign-in/code/begin": z.object({ email: Email }),
  "/sign-in/code": z.object({
    code: Code,
    rememberMe: z.boolean().optional().describe("false: the session ends with the browser"),
  }),
  "/sign-in/second-factor": z
    .object({
      code: AppCode.optional(),
      recoveryCode: RecoveryCode.optional(),
      trustBrowser: z
        .boolean()
        .optional()
        .describe("true: sign-ins of this browser ask for no second factor for thirty days"),
    })
    .refine(({ code, recoveryCode }) => hasOne({ code, recoveryCode }), {
      path: ["code"],
      error: "Must be sent, or recoveryCode, and not both",
    }),
  "/delete-user": z.object({ password: Password.optional() }),
  "/revoke-session": z.object({ token: z.string().max(64) }),
}

const known = new Map<string, z.ZodType>(Object.entries(bodies))

const newPasswords = new Map(
  Object.entries(bodies).map(([path, { shape }]) => [
    path,
    Object.entries(shape)
      .filter(
        ([, field]) => (field instanceof z.ZodOptional ? field.unwrap() : field) === NewPassword,
      )
      .map(([name]) => name),
  ]),
)

/** The fields of a path in which somebody chooses a password. */
export function newPasswordsOf(path: string) {
  return newPasswords.get(path) ?? []
}

const withTurnstile = new Set(
  Object.entries(bodies).flatMap(([path, { shape }]) => ("turnstile" in shape ? [path] : [])),
)

/** Whether a browser must have passed Turnstile, where the environment has it. */
export function takesTurnstile(path: string) {
  return withTurnstile.has(path)
}

/** Undefined for a path that takes none. */
export function bodyOf(path: string) {
  return known.get(path)
}
