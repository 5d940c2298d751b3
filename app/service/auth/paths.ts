import type { Configuration } from "../configuration/configuration.ts"

/** Paths of the authentication library that this service offers, with their methods. */
export const openPaths = {
  "/sign-up/email": ["POST"],
  "/sign-in/email": ["POST"],
  "/sign-in/passkey": ["POST"],
  "/sign-in/code/begin": ["POST"],
  "/sign-in/code": ["POST"],
  "/sign-in/second-factor": ["POST"],
  "/sign-in/:provider": ["GET"],
  "/passkey/begin": ["POST"],
  "/passkey/add": ["POST"],
  // The form of a provider becomes a GET before it gets here.
  "/callback/:id": ["GET", "POST"],
  "/get-session": ["GET"],
  "/sign-out": ["POST"],
  "/list-sessions": ["GET"],
  "/revoke-session": ["POST"],
  "/revoke-sessions": ["POST"],
  "/revoke-other-sessions": ["POST"],
  "/change-password": ["POST"],
  "/set-password": ["POST"],
  "/list-accounts": ["GET"],
  "/link-social": ["POST"],
  "/unlink-account": ["POST"],
  "/step-up": ["POST"],
  "/delete-user": ["POST"],
  "/verify-email": ["GET"],
  "/verify-email-with-password": ["POST"],
  "/send-verification-email": ["POST"],
  "/request-password-reset": ["POST"],
  "/reset-password/:token": ["GET"],
  "/reset-password": ["POST"],
} as const satisfies Record<string, ("GET" | "POST")[]>

/** Of them, those whose endpoints are in the module of `rare.ts`. */
export const rarePaths: ReadonlySet<string> = new Set<keyof typeof openPaths>([
  "/sign-up/email",
  "/sign-in/passkey",
  "/sign-in/code/begin",
  "/sign-in/code",
  "/sign-in/second-factor",
  "/passkey/begin",
  "/passkey/add",
  "/change-password",
  "/set-password",
  "/unlink-account",
  "/step-up",
  "/delete-user",
  "/verify-email",
  "/verify-email-with-password",
  "/send-verification-email",
  "/request-password-reset",
  "/reset-password",
])

/** All other paths of the library in the bundle. A test fails if an update adds a path to neither list. */
export const disabledPaths = [
  "/account-info",
  "/get-access-token",
  "/ok",
  "/refresh-token",
  "/update-session",
  "/verify-password",
]

/** What serves passwords alone: refused where they are off. */
const passwordPaths = new Set([
  "/sign-up/email",
  "/sign-in/email",
  "/change-password",
  "/set-password",
  "/verify-email",
  "/verify-email-with-password",
  "/send-verification-email",
  "/request-password-reset",
  "/reset-password/:token",
  "/reset-password",
])

/** What codes by e-mail are for: refused where they are off. */
const codePaths = new Set(["/sign-in/code/begin", "/sign-in/code"])

/** Why the environment refuses a path; undefined where it offers it. */
export function switchedOff(
  path: string,
  { passwords, emailCode, signUp }: Pick<Configuration, "passwords" | "emailCode" | "signUp">,
  isInvited: boolean,
) {
  if (!passwords && passwordPaths.has(path)) return "PASSWORD_OFF"
  if (!emailCode && codePaths.has(path)) return "EMAIL_CODE_OFF"
  if (path !== "/sign-up/email" || signUp === "open") return undefined
  if (signUp === "closed") return "SIGN_UP_CLOSED"
  return isInvited ? undefined : "INVITATION_REQUIRED"
}

const patterns = Object.entries(openPaths).map(([path, methods]) => ({
  path,
  pattern: new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`),
  methods,
}))

/** Finds the offered path that matches a path below /api/auth. */
export function pathOf(path: string) {
  return patterns.find(({ pattern }) => pattern.test(path))
}

/**
 * They send a letter, so an address has few of them, and their link leads to pages that are configured: whoever
 * asks for one need not own the address.
 */
export const letterPaths = new Set([
  "/sign-up/email",
  "/request-password-reset",
  "/send-verification-email",
  "/sign-in/code/begin",
])
