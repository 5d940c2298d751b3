import { all, set } from "./environments-folder.ts"

/** A production file that one rule refuses. */
export type WrongFile = {
  rule: string
  title: string
  change: (text: string) => string
  /** What is changed in the file of staging at the same time. */
  neighbour?: (text: string) => string
  /** Values of secrets that the engine has opened. */
  opened?: Record<string, string>
}

export const idp = { issuer: "https://id.acme.com", clientId: "accounts" }
export const idpSecret = set(["secrets", "IDP_CLIENT_SECRET"], { secure: "v1:aWRw:CCCC" })
export const payment = all(
  set(["secrets", "PAYMENT_SECRET"], { secure: "v1:cGF5:DDDD" }),
  set(["secrets", "PAYMENT_WEBHOOK_SECRET"], { secure: "v1:cGF5:EEEE" }),
)
export const onWorkersDev = all(
  set("zone", undefined),
  set("cookieDomain", undefined),
  set("apiOrigin", "https://accounts-production.acme.workers.dev"),
  set("webOrigin", "https://web.acme.workers.dev"),
  set("trustedOrigins", undefined),
)

export function line(text: string): (file: string) => string {
  return (file) => file.replace("config:\n", `config:\n  ${text}\n`)
}

export function trust(origin: string): (file: string) => string {
  return set("trustedOrigins", ["https://app.acme.com", "https://api.acme.com", origin])
}
