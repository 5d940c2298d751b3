import { Document } from "yaml"

import { hasSecondModule, plainBindings } from "../bindings.ts"
import { physicalName, type Environment } from "../environment.ts"
import { project } from "../project/own-project.ts"
import { routePatterns, hostOf, isOnWorkersDev, isWithin } from "../rules/url.ts"
import { permanent } from "../stack-keys.ts"
import { type Section, type Sources, hostAlone, keyOf, sessionReach } from "./facts.ts"
import { bindingsSection, protectionSection, runtimeSection, secretsSection } from "./worker.ts"

/** All that decides what an environment is, for reviewers; without its code. */
function effectiveSections(sources: Sources): Section[] {
  const { migrations, accepted, others } = sources
  const sections: Section[] = [
    namesSection(sources),
    hostsSection(sources),
    browserOf(sources),
    bindingsSection(sources),
    secretsSection(sources),
    runtimeSection(sources),
    protectionSection(sources),
    {
      name: "migrations",
      comment: "The schema, with the checksum of each file",
      facts: Object.fromEntries(migrations.map(({ name, sha256 }) => [name, sha256])),
    },
    {
      name: "accepted",
      comment: "Rules of docs/environment-rules.md that it breaks, and why",
      facts: Object.fromEntries(
        accepted.map(({ rule, key, reason, accepted: why = "" }) => [
          `${rule} ${key}`,
          `${why} (${reason})`,
        ]),
      ),
    },
    {
      name: "others",
      comment: "What the file says to others than this project",
      facts: Object.fromEntries(
        Object.entries(others).map(([key, value]) => [key, JSON.stringify(value)]),
      ),
    },
  ]
  return sections
    .filter(({ facts }) => Object.keys(facts).length > 0)
    .map(({ name, comment, facts }) => ({ name, comment, facts: withoutCredentials(facts) }))
}

/** Rules refuse credentials and queries in a URL, and a refused URL is still shown, but without them. */
function withoutCredentials(facts: Record<string, string>): Record<string, string> {
  const entries = Object.entries(facts).map(([key, value]) => [
    key,
    value
      .replaceAll(/(?<=:\/\/)[^/\s]*@/g, "(credentials)@")
      .replaceAll(/(?<=:\/\/[^\s?#]*)[?#]\S*/g, "?(query)"),
  ])
  return Object.fromEntries(entries)
}

/** The same facts by section and name, such as `reach: api`, for comparisons. */
export function effectiveFacts(sources: Sources): Record<string, string> {
  return Object.fromEntries(
    effectiveSections(sources).flatMap(({ name, facts }) =>
      Object.entries(facts).map(([key, value]) => [`${name}: ${key}`, value] as const),
    ),
  )
}

const heading = `# Rendered by \`./accounts environment render\`: do not edit it. \`./accounts environment check\` refuses a stale
# one, and \`pulumi up\` refuses to deploy another than this one.
`

/** Writes one fact per line, sorted, so that Git's own diff is the review. */
export function effectiveText(sources: Sources): string {
  const parts = effectiveSections(sources).map(({ name, comment, facts }) => {
    const sorted = Object.entries(facts).toSorted(([a], [b]) => (a < b ? -1 : 1))
    const document = new Document({ [name]: Object.fromEntries(sorted) })
    return `# ${comment}\n${document.toString({ lineWidth: 0 })}`
  })
  return `${heading}\n${parts.join("\n")}`
}

function namesSection({ stack, environment }: Sources): Section {
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

function hostsSection({ environment }: Sources): Section {
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

function browserOf({ environment }: Sources): Section {
  const { apiOrigin, webOrigin, identityProviders, tokens } = environment
  // The Worker's own values, whatever the file says.
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
  const hosts = [
    ...new Set([apiOrigin, webOrigin, ...trustedOrigins].map((origin) => hostOf(origin))),
  ]
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

/** An identity provider that can be made to name an address gives access to the account of that address. */
function describeProvider(provider: Environment["identityProviders"][string]): string {
  const { preset = "openid", emailDomains, trustUnverifiedEmails } = provider
  const kind = "issuer" in provider ? provider.issuer : `${preset} by its preset`
  const domains = emailDomains?.join(", ") ?? "its own or its preset's domains"
  const verified = trustUnverifiedEmails === true ? ", verified or not" : ""
  return `${kind}, believed about ${domains}${verified}`
}
