import { getPublicSuffix } from "tldts"

import { bindings } from "../../app/bindings.ts"
import { isLoopback } from "../../loopback.ts"
import { secretsToGenerate } from "../generated-secrets.ts"
import { permanent, type Environment } from "./environment.ts"

export type Problem = { key: string; message: string }

/** The default of `cloudflare:baseUrl`. */
export const cloudflareApi = "https://api.cloudflare.com/client/v4"

function isWithin(host: string, domain: string) {
  return host === domain || host.endsWith(`.${domain}`)
}

/** The name of the Worker and of the database. */
export function physicalName(
  stack: string,
  { name = `accounts-${stack}` }: Pick<Environment, "name">,
) {
  return name
}

/** Every problem that involves more than one key. */
export function findProblems(stack: string, environment: Environment, baseUrl: string): Problem[] {
  const api = new URL(environment.apiOrigin)
  return [
    ...accountProblems(environment, baseUrl),
    ...databaseProblems(environment),
    ...hostProblems(stack, environment, api),
    ...cookieProblems(environment, api),
    ...(permanent(environment) ? permanentProblems(environment, api) : []),
    ...mailProblems(environment),
    ...paymentProblems(environment),
    ...secretProblems(environment),
    ...rotationProblems(environment),
  ]
}

function accountProblems(
  { environment, fixture, connectTo }: Environment,
  baseUrl: string,
): Problem[] {
  const onThisMachine = isLoopback(baseUrl)
  const problems: Problem[] = []
  if (!onThisMachine && baseUrl !== cloudflareApi) {
    problems.push({
      key: "cloudflare:baseUrl",
      message: `may only be ${cloudflareApi}, or http:// on 127.0.0.1 or [::1]`,
    })
  }
  if (environment === "local" && !onThisMachine) {
    problems.push({
      key: "cloudflare:baseUrl",
      message: "must be http:// on 127.0.0.1 or [::1] in `local`",
    })
  }
  if (fixture && !onThisMachine) {
    problems.push({
      key: "accounts:fixture",
      message: "is for tests only: remove it, or use a loopback cloudflare:baseUrl",
    })
  }
  if (permanent({ environment }) && onThisMachine && !fixture) {
    problems.push({
      key: "cloudflare:baseUrl",
      message: `is loopback, but ${environment} runs at Cloudflare: remove it`,
    })
  }
  if (connectTo && !onThisMachine) {
    problems.push({
      key: "accounts:connectTo",
      message: "needs a loopback cloudflare:baseUrl: remove it",
    })
  }
  return problems
}

function databaseProblems({ location, jurisdiction }: Environment): Problem[] {
  if (!location || !jurisdiction) return []
  return [
    {
      key: "accounts:location",
      message: "is ignored by Cloudflare where accounts:jurisdiction is set: remove one of them",
    },
  ]
}

function hostProblems(stack: string, environment: Environment, api: URL): Problem[] {
  const { zone, routes, attach } = environment
  const worker = `${physicalName(stack, environment)}.`
  if (api.hostname.endsWith(".workers.dev")) {
    return [
      ...(zone
        ? [
            {
              key: "accounts:zone",
              message: "has no meaning with an apiOrigin on workers.dev: remove it",
            },
          ]
        : []),
      ...(attach === "route"
        ? [{ key: "accounts:attach", message: "needs an apiOrigin in a zone of yours: remove it" }]
        : []),
      ...(api.hostname.startsWith(worker)
        ? []
        : [
            {
              key: "accounts:apiOrigin",
              message: `must start with https://${worker} as that is the Worker's name`,
            },
          ]),
    ]
  }
  if (!zone) {
    return [
      { key: "accounts:zone", message: `is missing: name the zone that holds ${api.hostname}` },
    ]
  }
  return [
    ...(isWithin(api.hostname, zone)
      ? []
      : [{ key: "accounts:apiOrigin", message: `is not in the zone ${zone}` }]),
    ...routes
      .filter(
        (pattern) => !isWithin(pattern.replace(/\/.*$/, "").replace(/^\*\.?/, "") || zone, zone),
      )
      .map((pattern) => ({
        key: "accounts:routes",
        message: `${pattern} is not in the zone ${zone}`,
      })),
  ]
}

function cookieProblems({ cookieDomain, webOrigin }: Environment, api: URL): Problem[] {
  if (!cookieDomain) return []
  const key = "accounts:cookieDomain"
  const web = new URL(webOrigin)
  return [
    ...[api, web]
      .filter((url) => !isWithin(url.hostname, cookieDomain))
      .map((url) => ({
        key,
        message: `${cookieDomain} is not a parent of ${url.hostname}: browsers would drop the cookie`,
      })),
    ...(getPublicSuffix(cookieDomain, { allowPrivateDomains: true }) === cookieDomain
      ? [
          {
            key,
            message: `${cookieDomain} is a public suffix: browsers reject the cookie, or share it with other people's sites`,
          },
        ]
      : []),
  ]
}

function permanentProblems(environment: Environment, api: URL): Problem[] {
  const { webOrigin, trustedOrigins = [] } = environment
  const insecure = (url: string) => !url.startsWith("https://")
  return [
    ...(insecure(api.origin)
      ? [{ key: "accounts:apiOrigin", message: "must be https in a permanent environment" }]
      : []),
    ...(insecure(webOrigin)
      ? [{ key: "accounts:webOrigin", message: "must be https in a permanent environment" }]
      : []),
    ...trustedOrigins
      .filter(insecure)
      .map((origin) => ({ key: "accounts:trustedOrigins", message: `${origin} must be https` })),
  ]
}

function mailProblems({ verifyEmail, mailUrl, environment }: Environment): Problem[] {
  if (mailUrl || !(verifyEmail ?? permanent({ environment }))) return []
  return [
    {
      key: "accounts:mailUrl",
      message:
        "is missing, but sign-in requires a verified e-mail address: set it, or set accounts:verifyEmail to false",
    },
  ]
}

/** A sandbox on this machine accepts the keys that the stack generates; a real provider does not. */
function paymentProblems({ environment, paymentUrl, secrets }: Environment): Problem[] {
  if (!paymentUrl || (isLoopback(paymentUrl) && !permanent({ environment }))) return []
  return ["PAYMENT_SECRET", "PAYMENT_WEBHOOK_SECRET"]
    .filter((name) => !(name in secrets))
    .map((name) => ({
      key: `accounts:secrets.${name}`,
      message: `is missing, as accounts:paymentUrl is set: pulumi config set --secret --path 'accounts:secrets.${name}'`,
    }))
}

function secretProblems({ environment, secrets }: Environment): Problem[] {
  const declared: Record<string, { type: string; required: string }> = bindings
  const missing = Object.entries(declared)
    .filter(([name, { type, required }]) => {
      const needed =
        required === "always" || (required === "permanent" && permanent({ environment }))
      return type === "secret_text" && needed && !(name in secrets)
    })
    .filter(([name]) => permanent({ environment }) || name !== "AUTH_SECRET")
    .map(([name]) => ({
      key: `accounts:secrets.${name}`,
      message: `is missing: pulumi config set --secret --path 'accounts:secrets.${name}'`,
    }))
  const unknown = Object.keys(secrets)
    .filter(
      (name) =>
        declared[name]?.type !== "secret_text" && !/^IDP_[A-Z0-9_]+_CLIENT_SECRET$/.test(name),
    )
    .map((name) => ({
      key: `accounts:secrets.${name}`,
      message: "is no secret of this service: remove it, or use a name of docs/bindings.md",
    }))
  return [...missing, ...unknown]
}

function rotationProblems(environment: Environment): Problem[] {
  const generated: string[] = secretsToGenerate(environment)
  return Object.keys(environment.rotations)
    .filter((name) => !generated.includes(name))
    .map((name) => ({
      key: `accounts:rotations.${name}`,
      message: `is not generated by this stack: remove it, or set another accounts:secrets.${name}`,
    }))
}
