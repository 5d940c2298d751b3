import { hasSecondModule, plainBindings } from "../bindings.ts"
import { physicalName, type Environment } from "../environment.ts"
import { project } from "../project/own-project.ts"
import { routePatterns } from "../route-patterns.ts"
import { hostOf, isOnWorkersDev, isWithin } from "../rules/url.ts"
import { permanent } from "../stack-keys.ts"
import { hostAlone, keyOf, sessionReach } from "./fact-keys.ts"
import type { Section, Sources } from "./section.ts"

export function namesOf({ stack, environment }: Sources): Section {
  const name = physicalName(stack, environment)
  return {
    name: "names",
    comment: "What each thing is called, and where",
    facts: {
      account: environment.accountId,
      database: name,
      environment: environment.environment,
      stack,
      worker: name,
    },
  }
}

export function reachOf({ environment }: Sources): Section {
  const { apiOrigin, webOrigin, attach, paymentUrl, zone, zoneId } = environment
  const host = hostOf(apiOrigin) ?? ""
  const onWorkersDev = isOnWorkersDev(host)
  return {
    name: "reach",
    comment: "Hosts and routes that lead to the Worker",
    facts: {
      api: apiOrigin,
      "attached by": onWorkersDev ? "workers.dev" : attach,
      web: webOrigin,
      "workers.dev": onWorkersDev ? "on" : "off",
      zone: zone === undefined ? "none" : [zone, zoneId ?? ""].join(" ").trim(),
      ...Object.fromEntries(
        routePatterns(environment).map((pattern) => [`route ${pattern}`, "the Worker"]),
      ),
      ...(paymentUrl === undefined
        ? {}
        : { "payment webhook": `${apiOrigin}${project.paths.paymentWebhook} from ${paymentUrl}` }),
    },
  }
}

export function browserOf({ environment }: Sources): Section {
  const { apiOrigin, webOrigin, identityProviders, tokens } = environment
  // As the Worker gets them, whatever the file says.
  const { AUTH_TRUSTED_ORIGIN = "", AUTH_COOKIE_DOMAIN: cookieDomain } = plainBindings(environment)
  const trustedOrigins = AUTH_TRUSTED_ORIGIN.split(",")
  const cookies = project.cookies.browserCookies({
    environment: environment.environment,
    permanent: permanent(environment),
    url: apiOrigin,
    cookieDomain,
    readReplication: environment.readReplication === "auto",
    pages: hasSecondModule(environment),
  })
  const hosts = [...new Set([apiOrigin, webOrigin, ...trustedOrigins].map((one) => hostOf(one)))]
  const reached = hosts.filter((host = "") => cookieDomain && isWithin(host, cookieDomain))
  const reach =
    cookieDomain === undefined
      ? hostAlone(String(hostOf(apiOrigin)))
      : `${cookieDomain} and every host below it, such as ${reached.join(", ")}`
  return {
    name: "browser",
    comment: "What a browser keeps, sends and is allowed",
    facts: {
      ...Object.fromEntries(
        Object.entries(cookies).map(([name, attributes]) => [keyOf("cookie", name), attributes]),
      ),
      [sessionReach]: reach,
      ...Object.fromEntries(
        trustedOrigins.map((origin) => [
          keyOf("origin", origin),
          "may call with cookies, read the answer, and be redirected to",
        ]),
      ),
      ...Object.fromEntries(
        Object.entries(identityProviders).map(([id, provider]) => [
          keyOf("callback", id),
          `${apiOrigin}/api/auth/callback/${id} from ${describeProvider(provider)}`,
        ]),
      ),
      ...Object.fromEntries(
        (tokens?.audiences ?? []).map((audience) => [
          keyOf("token", audience),
          `shows it who a member is, for ${tokens?.minutes} min, also after a sign-out`,
        ]),
      ),
    },
  }
}

/** Whoever can make it name an address gets the account of that address. */
function describeProvider(provider: Environment["identityProviders"][string]): string {
  const { preset = "openid", emailDomains, trustUnverifiedEmails } = provider
  const kind = "issuer" in provider ? provider.issuer : `${preset} by its preset`
  const domains = emailDomains?.join(", ") ?? "its own or its preset's domains"
  const verified = trustUnverifiedEmails === true ? ", verified or not" : ""
  return `${kind}, believed about ${domains}${verified}`
}
