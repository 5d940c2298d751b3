/** The authentication library's own paths that this service offers, with their methods. */
export const openPaths = {
  "/sign-up/email": ["POST"],
  "/sign-in/email": ["POST"],
  "/sign-in/:provider": ["GET"],
  "/callback/:id": ["GET"],
  "/get-session": ["GET"],
  "/sign-out": ["POST"],
  "/list-sessions": ["GET"],
  "/revoke-session": ["POST"],
  "/revoke-sessions": ["POST"],
  "/revoke-other-sessions": ["POST"],
  "/change-password": ["POST"],
  "/delete-user": ["POST"],
  "/verify-email": ["GET"],
  "/send-verification-email": ["POST"],
  "/request-password-reset": ["POST"],
  "/reset-password/:token": ["GET"],
  "/reset-password": ["POST"],
} as const satisfies Record<string, ("GET" | "POST")[]>

/** What else the library would serve. A test fails when an update adds a path to neither list. */
export const disabledPaths = [
  "/account-info",
  "/change-email",
  "/delete-user/callback",
  "/error",
  "/get-access-token",
  "/link-social",
  "/list-accounts",
  "/ok",
  "/refresh-token",
  "/sign-in/social",
  "/unlink-account",
  "/update-session",
  "/update-user",
  "/verify-password",
]

const patterns = Object.entries(openPaths).map(([path, methods]) => ({
  path,
  pattern: new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`),
  methods,
}))

/** The offered path that a path below /api/auth matches, with its methods. */
export function pathOf(path: string) {
  return patterns.find(({ pattern }) => pattern.test(path))
}
