/** Facts that a plan and a review decide by: how each is written, and how it is recognised. */

const prefixes = {
  cookie: "cookie ",
  origin: "origin ",
  callback: "callback of ",
  token: "token for ",
} as const

export const sessionReach = "session cookie reaches"
export const databaseJurisdiction = "database jurisdiction"
export const databaseLocation = "database location"
export const escImports = "values of Pulumi ESC, which nobody sees here, from"
const alone = " alone"

export function keyOf(kind: keyof typeof prefixes, name: string): string {
  return `${prefixes[kind]}${name}`
}

export function isOf(kind: keyof typeof prefixes, key: string): boolean {
  return key.startsWith(prefixes[kind])
}

export function isSessionCookie(key: string): boolean {
  return isOf("cookie", key) && key.endsWith(".session_token")
}

/** The value of `sessionReach` where no other host gets the cookie. */
export function hostAlone(host: string): string {
  return `${host}${alone}`
}

export function isHostAlone(value: string): boolean {
  return value.endsWith(alone)
}
