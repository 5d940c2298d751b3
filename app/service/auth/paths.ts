type Trait =
  /** It serves passwords alone, or codes by e-mail: refused where those are off. */
  | "password"
  | "code"
  /**
   * It sends a letter, so an address has few of them, and its link leads to pages that are configured: whoever
   * asks for one need not own the address.
   */
  | "letter"
  /** It asks for no session, tells whose it is, ends it, or shows a factor: all others take one that is required. */
  | "open"

/** Paths of the authentication library that this service offers, with their methods. */
export const openPaths = {
  "/sign-up/email": ["POST", "password", "letter", "open"],
  "/sign-in/email": ["POST", "password", "open"],
  "/sign-in/passkey": ["POST", "open"],
  "/sign-in/code/begin": ["POST", "code", "letter", "open"],
  "/sign-in/code": ["POST", "code", "open"],
  "/sign-in/second-factor": ["POST", "open"],
  "/sign-in/:provider": ["GET", "open"],
  "/passkey/begin": ["POST", "open"],
  "/passkey/add": ["POST"],
  // The form of a provider becomes a GET before it gets here.
  "/callback/:id": ["GET", "POST", "open"],
  "/get-session": ["GET", "open"],
  "/sign-out": ["POST", "open"],
  "/list-sessions": ["GET"],
  "/revoke-session": ["POST"],
  "/revoke-sessions": ["POST"],
  "/revoke-other-sessions": ["POST"],
  "/change-password": ["POST", "password"],
  "/set-password": ["POST", "password"],
  "/list-accounts": ["GET"],
  "/link-social": ["POST"],
  "/unlink-account": ["POST"],
  "/step-up/begin": ["POST", "open"],
  "/step-up": ["POST", "open"],
  "/delete-user": ["POST"],
  "/verify-email": ["GET", "open"],
  "/verify-email-with-password": ["POST", "password", "open"],
  "/send-verification-email": ["POST", "letter", "open"],
  "/request-password-reset": ["POST", "password", "letter", "open"],
  "/reset-password/:token": ["GET", "password", "open"],
  "/reset-password": ["POST", "password", "open"],
} as const satisfies Record<string, ("GET" | "POST" | Trait)[]>

const known = new Map<string, readonly string[]>(Object.entries(openPaths))

export function pathHas(path: string, trait: Trait) {
  return known.get(path)?.includes(trait) === true
}

/** All other paths of the library in the bundle. A test fails if an update adds a path to neither list. */
export const disabledPaths = [
  "/account-info",
  "/get-access-token",
  "/ok",
  "/refresh-token",
  "/update-session",
  "/verify-password",
]

/** Why the environment refuses a path; undefined where it offers it. */
export function switchedOff(
  path: string,
  { passwords, emailCode, signUp }: { passwords: boolean; emailCode: boolean; signUp: string },
  isInvited: boolean,
) {
  if (!passwords && pathHas(path, "password")) return "PASSWORD_OFF"
  if (!emailCode && pathHas(path, "code")) return "EMAIL_CODE_OFF"
  if (path !== "/sign-up/email" || signUp === "open") return undefined
  if (signUp === "closed") return "SIGN_UP_CLOSED"
  return isInvited ? undefined : "INVITATION_REQUIRED"
}

const patterns = [...known].map(([path, traits]) => ({
  path,
  pattern: new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`),
  methods: traits.filter((trait) => trait === "GET" || trait === "POST"),
}))

/** Finds the offered path that matches a path below /api/auth. */
export function pathOf(path: string) {
  return patterns.find(({ pattern }) => pattern.test(path))
}
