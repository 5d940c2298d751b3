/** The authentication library's own paths that this service offers, with their methods. */
export const openPaths = {
  "/sign-up/email": ["POST"],
  "/sign-in/email": ["POST"],
  "/get-session": ["GET"],
  "/sign-out": ["POST"],
} as const satisfies Record<string, readonly ("GET" | "POST")[]>

/** What else the library would serve. A test fails when an update adds a path to neither list. */
export const disabledPaths = [
  "/account-info",
  "/callback/:id",
  "/change-email",
  "/change-password",
  "/delete-user",
  "/delete-user/callback",
  "/error",
  "/get-access-token",
  "/link-social",
  "/list-accounts",
  "/list-sessions",
  "/ok",
  "/refresh-token",
  "/request-password-reset",
  "/reset-password",
  "/reset-password/:token",
  "/revoke-other-sessions",
  "/revoke-session",
  "/revoke-sessions",
  "/send-verification-email",
  "/sign-in/social",
  "/unlink-account",
  "/update-session",
  "/update-user",
  "/verify-email",
  "/verify-password",
]

const patterns = Object.entries(openPaths).map(([path, methods]) => ({
  pattern: new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`),
  methods,
}))

/** Methods of a path below /api/auth; undefined where the service offers nothing. */
export const methodsOf = (path: string) =>
  patterns.find(({ pattern }) => pattern.test(path))?.methods
