import { Document } from "yaml"

import { hasSecondModule, isExternal, plainBindings, rateLimitNamespace } from "../bindings.ts"
import { physicalName, protection, type Environment } from "../environment.ts"
import type { BindingDeclaration } from "../project/binding.ts"
import { project } from "../project/own-project.ts"
import { routePatterns, hostOf, isOnWorkersDev, isWithin } from "../rules/url.ts"
import {
  describeTime,
  type RotationWindow,
  rotationWindows,
  secretsToGenerate,
} from "../secrets.ts"
import { permanent, type ReleaseLimits } from "../stack-keys.ts"
import {
  databaseJurisdiction,
  databaseLocation,
  digest,
  escImports,
  hostAlone,
  keyOf,
  type Sources,
  sessionReach,
} from "./facts.ts"

/** Facts whose text is not a string are omitted. */
type Fact = [name: string, text: string | false | 0 | undefined]

type Section = { name: string; comment: string; facts: [name: string, text: string][] }

/** Returns everything that defines an environment except its code, for reviewers. */
function effectiveSections(sources: Sources): Section[] {
  const { migrations, accepted, others } = sources
  const sections: [name: string, comment: string, facts: Fact[]][] = [
    ["names", "What each thing is called, and where", namesOf(sources)],
    ["reach", "Hosts and routes that lead to the Worker", hostsOf(sources)],
    ["browser", "What a browser keeps, sends and is allowed", browserFacts(sources)],
    ["bindings", "All that the Worker is given", bindingsOf(sources)],
    [
      "secrets",
      "Where each secret comes from; another seal is another value, or the same sealed again",
      secretsOf(sources),
    ],
    ["runtime", "How it runs and how it is released", runtimeOf(sources)],
    ["deletion", "Whether one deployment can delete it", deletionOf(sources)],
    [
      "migrations",
      "The schema, with the checksum of each file",
      migrations.map(({ name, sha256 }) => [name, sha256]),
    ],
    [
      "accepted",
      "Rules of docs/environment-rules.md that it breaks, and why",
      accepted.map(({ rule, key, reason, accepted: why = "" }) => [
        `${rule} ${key}`,
        `${why} (${reason})`,
      ]),
    ],
    [
      "others",
      "What the file says to others than this project",
      Object.entries(others).map(([key, value]) => [key, JSON.stringify(value)]),
    ],
  ]
  return sections.flatMap(([name, comment, facts]) => {
    const present = facts.flatMap(([key, text]): Section["facts"] =>
      typeof text === "string" ? [[key, withoutCredentials(text)]] : [],
    )
    return present.length > 0 ? [{ name, comment, facts: present }] : []
  })
}

/** Removes credentials and queries from URLs. Rules refuse such URLs, but they are still shown. */
function withoutCredentials(text: string): string {
  return text
    .replaceAll(/(?<=:\/\/)[^/\s]*@/g, "(credentials)@")
    .replaceAll(/(?<=:\/\/[^\s?#]*)[?#]\S*/g, "?(query)")
}

/** Returns the facts by section and name, such as `reach: api`, for comparison. */
export function effectiveFacts(sources: Sources): Record<string, string> {
  const facts = effectiveSections(sources).flatMap((section) =>
    section.facts.map(([key, text]) => [`${section.name}: ${key}`, text]),
  )
  return Object.fromEntries(facts)
}

const heading = `# Rendered by \`./accounts environment render\`: do not edit it. \`./accounts environment check\` refuses a stale
# one, and \`pulumi up\` refuses to deploy another than this one.
`

/** Writes one fact per line, sorted, so that Git's own diff is the review. */
export function effectiveText(sources: Sources): string {
  const parts = effectiveSections(sources).map(({ name, comment, facts }) => {
    const sorted = Object.entries(Object.fromEntries(facts)).toSorted(([a], [b]) =>
      a < b ? -1 : 1,
    )
    const document = new Document({ [name]: Object.fromEntries(sorted) })
    return `# ${comment}\n${document.toString({ lineWidth: 0 })}`
  })
  return `${heading}\n${parts.join("\n")}`
}

function namesOf({ stack, environment }: Sources): Fact[] {
  const name = physicalName(stack, environment)
  return [
    ["account", environment.accountId],
    ["database", name],
    ["environment", environment.environment],
    ["stack", stack],
    ["worker", name],
  ]
}

function hostsOf({ environment }: Sources): Fact[] {
  const { apiOrigin, webOrigin, attach, paymentUrl, zone, zoneId } = environment
  const onWorkersDev = isOnWorkersDev(hostOf(apiOrigin) ?? "")
  return [
    ["api", apiOrigin],
    ["attached by", onWorkersDev ? "workers.dev" : attach],
    ["web", webOrigin],
    ["workers.dev", onWorkersDev ? "on" : "off"],
    ["zone", zone === undefined ? "none" : [zone, zoneId ?? ""].join(" ").trim()],
    ...routePatterns(environment).map((pattern): Fact => [`route ${pattern}`, "the Worker"]),
    [
      "payment webhook",
      paymentUrl !== undefined && `${apiOrigin}${project.paths.paymentWebhook} from ${paymentUrl}`,
    ],
  ]
}

function browserFacts({ environment }: Sources): Fact[] {
  const { apiOrigin, webOrigin, identityProviders, tokens } = environment
  // Reads the values that the Worker gets, which may differ from the file's.
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
  return [
    ...Object.entries(cookies).map(([name, attributes]): Fact => [
      keyOf("cookie", name),
      attributes,
    ]),
    [sessionReach, reach],
    ...trustedOrigins.map((origin): Fact => {
      return [
        keyOf("origin", origin),
        "may call with cookies, read the answer, and be redirected to",
      ]
    }),
    ...Object.entries(identityProviders).map(([id, provider]): Fact => {
      const from = describeProvider(provider)
      return [keyOf("callback", id), `${apiOrigin}/api/auth/callback/${id} from ${from}`]
    }),
    ...(tokens?.audiences ?? []).map((audience): Fact => {
      return [
        keyOf("token", audience),
        `shows it who a member is, for ${tokens?.minutes} min, also after a sign-out`,
      ]
    }),
  ]
}

/** Describes which addresses a provider is trusted for: it can open the account of any of them. */
function describeProvider(provider: Environment["identityProviders"][string]): string {
  const { preset = "openid", emailDomains, trustUnverifiedEmails } = provider
  const kind = "issuer" in provider ? provider.issuer : `${preset} by its preset`
  const domains = emailDomains?.join(", ") ?? "its own or its preset's domains"
  const verified = trustUnverifiedEmails === true ? ", verified or not" : ""
  return `${kind}, believed about ${domains}${verified}`
}

/** The location of a database if the stack file sets none. */
export const defaultLocation = "near the machine that creates it"

function bindingsOf(sources: Sources): Fact[] {
  const { stack, environment } = sources
  const name = physicalName(stack, environment)
  return [
    ...Object.entries(project.bindings).map(([binding, declaration]): Fact => {
      return [binding, describeBinding(binding, declaration, name)]
    }),
    ...Object.entries(plainBindings(environment)).map(([binding, text]): Fact => {
      return [binding, `plain_text ${text}`]
    }),
    ...secretsOf(sources).map(([binding, text]): Fact => [binding, text && "secret_text"]),
  ]
}

function describeBinding(
  binding: string,
  declaration: BindingDeclaration,
  name: string,
): string | undefined {
  if (isExternal(declaration)) {
    const { type, required } = declaration
    return required === "never" ? `${type}, where infra/index.ts gives one` : type
  }
  switch (declaration.type) {
    case "d1":
      return `d1 ${name}`
    case "version_metadata":
      return "version_metadata"
    case "ratelimit": {
      const { limit, period } = declaration.simple
      return `ratelimit ${limit} per ${period} s, namespace ${rateLimitNamespace(name, binding)}`
    }
    case "plain_text":
    case "secret_text":
      return undefined
    default:
      return declaration satisfies never
  }
}

/** Describes the source of each secret, by the name of its binding or trial header. */
function secretsOf({ environment, file, seals, others }: Sources): Fact[] {
  const { secrets, rotations, trialHeaders } = environment
  const sealed = (key: string) => {
    if (seals === undefined) return "brought by its stack file"
    const seal = seals[key]
    if (seal !== undefined) return `sealed in ${file}, seal ${digest(seal)}`
    // Values from Pulumi ESC are unknown offline.
    return escImports in others ? undefined : `in clear in ${file}`
  }
  const overlaps = rotationWindows(environment)
  return [
    ...secretsToGenerate(environment).map((name): Fact => {
      return [name, `made by the stack, rotation ${rotations[name] ?? 0}`]
    }),
    ...Object.keys(secrets).map((name): Fact => {
      return [name, withOverlap(name, sealed(`accounts:secrets.${name}`), overlaps)]
    }),
    ...Object.keys(trialHeaders).map((name): Fact => {
      return [`header ${name} of a trial`, sealed(`accounts:trialHeaders.${name}`)]
    }),
  ]
}

/** Adds when a rotated secret comes into use, or until when the previous secret is accepted. */
function withOverlap(name: string, origin: string | undefined, overlaps: RotationWindow[]) {
  const overlap = overlaps.find(
    (candidate) => candidate.name === name || candidate.previous === name,
  )
  if (origin === undefined || overlap === undefined) return origin
  const { does, from, until } = overlap
  if (name === overlap.name) return `${origin}, ${does} from ${describeTime(from)}`
  return `${origin}, ${does} until then, accepted until ${describeTime(until)}`
}

function runtimeOf({ environment }: Sources): Fact[] {
  const { location, jurisdiction, placement, crons, patience, hostPatience } = environment
  const { cpuMs, logSampling, readReplication, releaseSteps, releaseBake } = environment
  const limits = environment.releaseLimits
  const { logDestinations, traceSampling, traceDestinations, logpush, tailConsumers } = environment
  const isGradual = releaseSteps.length > 1
  const baked = isGradual ? `, ${releaseBake} s at each before the last` : ""
  return [
    ["compatibility date", project.runtime.compatibilityDate],
    ["compatibility flags", project.runtime.compatibilityFlags.join(", ")],
    ["cpu limit", cpuMs === undefined ? "Cloudflare's default" : `${cpuMs} ms`],
    ["crons", crons.join("; ") || "none: expired rows are never deleted"],
    [databaseJurisdiction, jurisdiction ?? "none"],
    [databaseLocation, location ?? defaultLocation],
    [
      "database read replication",
      readReplication === "auto"
        ? "auto: an ended session may read what is its own until the copies know"
        : readReplication,
    ],
    ["logged requests", percentage(logSampling)],
    ["placement", placement ?? "near the caller"],
    ["release limits", limits && describeLimits(limits)],
    ["release patience", `${patience} s, ${hostPatience} s for a new host`],
    ["release steps", `0 % for the trial, then ${releaseSteps.join(", ")} %${baked}`],
    ["logs go to", logDestinations.join(", ") || undefined],
    ["traced requests", traceSampling && percentage(traceSampling)],
    ["traces go to", traceDestinations.join(", ") || undefined],
    ["events go to", logpush && "the account's Logpush jobs"],
    ["events go to Workers", tailConsumers.join(", ") || undefined],
  ]
}

function describeLimits({ requests, failures, cpu }: ReleaseLimits): string {
  const limitTexts = [
    failures !== undefined && `${failures} percentage points of failing requests`,
    cpu !== undefined && `${cpu} % of processor time`,
  ].filter((text) => text !== false)
  return `${limitTexts.join(" and ")} more than the version beside it, ${requests} requests of each or more`
}

function percentage(share: number) {
  return `${Number((share * 100).toFixed(4))} %`
}

function deletionOf({ environment }: Sources): Fact[] {
  return Object.entries(protection(environment)).map(([resource, isProtected]) => [
    resource,
    isProtected ? "refused" : "possible",
  ])
}
