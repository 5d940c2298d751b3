import { set } from "./environments-folder.ts"
import { line, provider } from "./wrong-file.ts"

/** Of every character that some encoding changes. */
export const canary = 'canary/of a "real" account+&=ü\\0123456789'

const inUrl = `https://admin:${encodeURIComponent(canary)}@mail.acme.com/send`
const inQuery = `https://mail.acme.com/send?key=${encodeURIComponent(canary)}`
const quoted = JSON.stringify(canary)

/** Where a secret may be put that belongs nowhere in clear. */
export const secretPlaces: { title: string; change: (text: string) => string }[] = [
  { title: "a secret in clear", change: set(["secrets", "MAIL_SECRET"], canary) },
  { title: "AUTH_SECRET in clear", change: set(["secrets", "AUTH_SECRET"], canary) },
  { title: "a secret as the name of one", change: set(["secrets", canary], { secure: "v1:a:b" }) },
  { title: "all secrets as one text", change: set("secrets", canary) },
  { title: "a list of secrets", change: set("secrets", [canary]) },
  { title: "a secret with two ciphertexts", change: set(["secrets", "MAIL_SECRET"], [canary]) },
  { title: "a header in clear", change: set(["trialHeaders"], { "x-access": canary }) },
  { title: "a token", change: line(`cloudflare:apiToken: ${quoted}`) },
  { title: "another provider's key", change: line(`aws:secretKey: ${quoted}`) },
  { title: "an unknown key", change: line(`accounts:authSecret: ${quoted}`) },
  { title: "an unknown key at the top", change: (text) => `${text}secret: ${quoted}\n` },
  { title: "a key in the mail service's query", change: set("mailUrl", inQuery) },
  { title: "credentials of the mail service", change: set("mailUrl", inUrl) },
  { title: "credentials of the payment service", change: set("paymentUrl", inUrl) },
  { title: "credentials of the API's host", change: set("apiOrigin", inUrl) },
  { title: "credentials of a trusted origin", change: set("trustedOrigins", [inUrl]) },
  {
    title: "credentials of an identity provider",
    change: provider({ issuer: inUrl }),
  },
  {
    title: "the secret of an identity provider",
    change: provider({ clientSecret: canary }),
  },
  { title: "broken YAML", change: line(`accounts:mailUrl: ${quoted} ${quoted}`) },
  { title: "a key twice", change: line(`accounts:location: ${quoted}`) },
  { title: "a number of rotations", change: set(["rotations"], { SMOKE_KEY: canary }) },
  { title: "a time", change: set("authSecretFrom", canary) },
  { title: "an account", change: set("accountId", canary) },
]
