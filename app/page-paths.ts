/**
 * Path prefixes of the pages. If a front end shares the host, the Worker answers everything with these prefixes,
 * because Cloudflare's patterns cannot end before a query. `/` is missing, because it then belongs to the front end.
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

/** Prefix of the paths of the stylesheet and the scripts. */
export const pageFiles = "/pages-"
