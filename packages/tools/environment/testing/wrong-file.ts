import { all, keys, set, type Change } from "./environments-folder.ts"

type WrongFile = {
  change?: Change
  /** Change of staging's file at the same time. */
  neighbour?: Change
  /** Values of secrets that the engine has opened. */
  opened?: Record<string, string>
}

/** Production files by the one rule that refuses each, and by title. */
export type Wrong = Record<string, Record<string, Change | WrongFile>>

export const idp = { issuer: "https://id.acme.com", clientId: "accounts" }
export const idpSecret = set(["secrets", "IDP_CLIENT_SECRET"], { secure: "v1:aWRw:CCCC" })
export const payment = all(
  set(["secrets", "PAYMENT_SECRET"], { secure: "v1:cGF5:DDDD" }),
  set(["secrets", "PAYMENT_WEBHOOK_SECRET"], { secure: "v1:cGF5:EEEE" }),
)
export const onWorkersDev = keys({
  zone: undefined,
  cookieDomain: undefined,
  apiOrigin: "https://accounts-production.acme.workers.dev",
  webOrigin: "https://web.acme.workers.dev",
  trustedOrigins: undefined,
})

/** An identity provider with its secret. */
export function provider(settings: object): Change {
  return all(set("identityProviders", { idp: { ...idp, ...settings } }), idpSecret)
}

/** Production on other hosts. */
export function host(api: string, web = "https://app.acme.com"): Change {
  return keys({ apiOrigin: api, webOrigin: web, trustedOrigins: undefined })
}

/** Production beside its front end, on the host of that. */
export const oneOrigin = all(
  host("https://acme.com", "https://acme.com"),
  keys({ attach: "paths", cookieDomain: undefined }),
)

export function line(text: string): Change {
  return (file) => file.replace("config:\n", `config:\n  ${text}\n`)
}

export function trust(origin: string): Change {
  return set("trustedOrigins", ["https://app.acme.com", "https://api.acme.com", origin])
}
