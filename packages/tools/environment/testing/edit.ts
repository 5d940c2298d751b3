import { all, set } from "./environments-folder.ts"

/** What a pull request may do to a production file, and what its reviewer is then told. */
export type Edit = {
  title: string
  change: (text: string) => string
  /** By these rules it is refused. */
  rules?: string[]
  /** These lines are in the difference of the effective files. */
  shows?: string[]
}

/** Production on other hosts. */
export function host(api: string, web = "https://app.acme.com"): (text: string) => string {
  return all(set("apiOrigin", api), set("webOrigin", web), set("trustedOrigins", undefined))
}

/** Production beside its front end, on the host of that. */
export const oneOrigin = all(
  host("https://acme.com", "https://acme.com"),
  set("attach", "paths"),
  set("cookieDomain", undefined),
)
