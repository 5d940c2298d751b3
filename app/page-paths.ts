/**
 * Paths that begin the pages' own. Beside a front end on one host, everything that begins so is the Worker's: a pattern
 * of Cloudflare's cannot end before a query. `/` is not among them, as it is the front end's there.
 */
export const pagePaths = [
  "/account",
  "/admin",
  "/consent",
  "/forgotten",
  "/payments",
  "/reset-password",
  "/sign-in",
  "/sign-out",
  "/sign-up",
  "/verify",
] as const

type Begin = (typeof pagePaths)[number]

export type PagePath = "/" | Begin | `${Begin}/${string}`

/** Paths of the stylesheet and the scripts begin so. */
export const pageFiles = "/pages-"
