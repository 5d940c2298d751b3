import { isLoopback } from "../../base/loopback.ts"
import { project } from "../project/own-project.ts"
import { declaredSecret, secretsToGenerate } from "../secrets.ts"
import { lasting, type Found, type Rule, textsIn } from "./rule.ts"
import { outboundUrls, hostOf, isPrivate } from "./url.ts"

const providers = "accounts:identityProviders"

/** Names of paths below `/sign-in/`, and of an account's other sign-in methods. */
const takenNames = new Set([
  "code",
  "credential",
  "email",
  "passkey",
  "password",
  "second-factor",
  "social",
])

export const outboundRules: Rule[] = [
  {
    id: "R32",
    message: "Mail, payments and identity providers are called over https",
    fix: "write https://",
    check: (subject) => {
      const plain = outboundUrls(subject).filter(({ url }) => !url.startsWith("https://"))
      return [
        ...plain
          .filter(({ url }) => !isPrivate(hostOf(url) ?? ""))
          .map(({ path }) => ({
            path,
            reason: "must be https, or anyone on the network path can read it",
          })),
        // The Worker refuses the same URLs. R33 refuses them in permanent environments.
        ...plain
          .filter(({ path, url }) => path[0] === providers && !isLoopback(url) && !lasting(subject))
          .filter(({ url }) => isPrivate(hostOf(url) ?? ""))
          .map(({ path }) => ({
            path,
            reason: "is not sure to be this machine, so the Worker refuses it over http",
            fix: "write its address, such as http://127.0.0.1:9000, or https://",
          })),
      ]
    },
  },
  {
    id: "R33",
    message: "A permanent environment calls nothing on a machine of its own",
    fix: "name a service that Cloudflare can reach",
    applies: lasting,
    check: (subject) =>
      outboundUrls(subject)
        .filter(({ url }) => isPrivate(hostOf(url) ?? ""))
        .map(({ path }) => ({ path, reason: "is on this machine, which Cloudflare cannot reach" })),
  },
  {
    id: "R54",
    message: "A service's URL is written as it is asked, reads as what it is, and holds no key",
    fix: "write the host in lower-case ASCII, with xn--… for other characters",
    check: (subject) =>
      outboundUrls(subject).flatMap(({ path, url }) => {
        const { host = "", hostname = "", search = "", hash = "" } = URL.parse(url) ?? {}
        const plain = /^[\x21-\x7E]+$/.test(url) && url.includes(host) && !hostname.endsWith(".")
        if (!plain) return [{ path, reason: "does not name its host as it is asked" }]
        // An issuer has neither (OpenID Connect Discovery 1.0, section 3). In other URLs a query may be a key.
        if (search + hash === "") return []
        const fix = "write the URL alone; the Worker sends its secret in a header"
        return [{ path, reason: "has a query or a fragment", fix }]
      }),
  },
  {
    id: "R34",
    message: "No URL holds credentials",
    fix: "seal them: pulumi config set -s <stack> --secret --path accounts:secrets.<NAME>",
    check: ({ values }) =>
      Object.entries(values)
        .filter(([key]) => key !== "cloudflare:baseUrl" && key !== "accounts:secrets")
        .flatMap(([key, value]) => textsIn(value, [key]))
        .filter(({ text }) => holdsCredentials(text))
        // The message must not contain the value.
        .map(({ path }) => ({ path, reason: "holds credentials" })),
  },
  {
    id: "R35",
    message: "Every identity provider has its client secret",
    fix: "seal it, or accept a client that has none",
    accept: "with a reason",
    applies: (subject) =>
      (lasting(subject) || subject.environment.environment === "local") &&
      subject.environment.secrets !== undefined,
    check: ({ stack, environment: { environment = "local", secrets = {}, ...rest } }) => {
      const { identityProviders = {} } = rest
      const generatedNames = secretsToGenerate({ environment, secrets, identityProviders })
      return Object.keys(identityProviders)
        .map((id) => ({ id, secret: project.identityProviderBindings(id).clientSecret }))
        .filter(({ secret }) => !(secret in secrets) && !generatedNames.includes(secret))
        .map(({ id, secret }) => ({
          path: [providers, id],
          reason: `has no secret ${secret}: signing in ends at the callback`,
          fix: setSecret(secret, stack),
        }))
    },
  },
  {
    id: "R36",
    message: "An identity provider is asked for an OpenID token, under a name of its own",
    fix: "add openid to its scopes, and call it by no word that the service uses itself, such as email",
    check: ({ environment: { identityProviders = {} } }) => {
      const reserved = Object.keys(identityProviders).filter((id) => takenNames.has(id))
      const silent = Object.entries(identityProviders).filter(
        ([, { preset = "openid", scopes = ["openid"] }]) =>
          !withoutOpenid.has(preset) && !scopes.includes("openid"),
      )
      return [
        ...reserved.map((id) => ({
          path: [providers, id],
          reason: "is a name of the service's own",
        })),
        ...silent.map(([id]) => ({
          path: [providers, id, "scopes"],
          reason: "lacks openid: the provider sends no identity",
        })),
      ]
    },
  },
  {
    id: "R52",
    message: "An identity provider is believed about domains that are named",
    fix: "name the domains of its users' addresses, or accept it for a provider that verifies each",
    accept: "with a reason",
    applies: lasting,
    check: ({ environment: { identityProviders = {} } }) =>
      Object.entries(identityProviders).flatMap(([id, { emailDomains = [] }]): Found[] => {
        const index = emailDomains.indexOf("*")
        if (index === -1) return []
        const reason = "lets anyone who can make the provider name an address take over its account"
        return [{ path: [providers, id, "emailDomains", index], reason }]
      }),
  },
  {
    id: "R67",
    message: "An identity provider verifies the addresses that it names",
    fix: "remove trustUnverifiedEmails, or accept it for a tenant whose administrators make the accounts",
    accept: "with a reason",
    applies: lasting,
    check: ({ environment: { identityProviders = {} } }) =>
      Object.entries(identityProviders).flatMap(([id, { trustUnverifiedEmails }]): Found[] => {
        const reason = "lets anyone who can enter an address at the provider take over its account"
        const path = [providers, id, "trustUnverifiedEmails"]
        return trustUnverifiedEmails === true ? [{ path, reason }] : []
      }),
  },
]

/** Presets of providers that support only OAuth 2.0. */
const withoutOpenid = new Set(["github", "discord", "facebook", "linkedin", "x", "oauth2"])

/** Returns the command that encrypts a secret of a stack. */
export function setSecret(name: string, stack: string): string {
  const drawn = declaredSecret(name)?.made === "by its service" ? "" : "openssl rand -hex 32 | "
  return `${drawn}pulumi config set -s ${stack} --secret --path accounts:secrets.${name}`
}

function holdsCredentials(text: string): boolean {
  const { username = "", password = "" } = URL.parse(text) ?? {}
  return username !== "" || password !== ""
}
