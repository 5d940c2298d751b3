import { isLoopback } from "../../../base/loopback.ts"
import { cloudflareApi } from "../../../base/process-environment.ts"
import { always, type Found, type Path, type Rule, type Subject } from "./rule.ts"
import { hostOf, isWithin } from "./url.ts"

export const accountRules: Rule[] = [
  {
    id: "R06",
    message: "The name of a stack and its accounts:environment agree",
    fix: "change accounts:environment, or rename the stack with its file",
    accept: "never",
    applies: ({ environment }) => environment.environment !== undefined,
    check: ({ stack, environment: { environment } }) => {
      const said = /^(local|preview|staging|production)(?:-|$)/.exec(stack)?.[1]
      if (said === undefined || said === environment) return []
      const path: Path = ["accounts:environment"]
      return [{ path, reason: `is ${environment}, but the stack is called ${stack}` }]
    },
  },
  {
    id: "R08",
    message: "Only Cloudflare's API, or one on this machine where that is meant, is called",
    fix: "remove it",
    accept: "never",
    applies: always,
    check: checkBaseUrl,
  },
  {
    id: "R09",
    message: "Keys for tests lead to this machine alone, and are in no committed file",
    fix: "remove it",
    accept: "never",
    applies: always,
    check: ({ environment: { fixture, connectTo }, baseUrl, committed }) => [
      ...(fixture && (committed || !isLoopback(baseUrl))
        ? [
            {
              path: ["accounts:fixture"],
              reason: committed
                ? "is for tests only, and this file is committed"
                : "is for tests only, and needs a loopback cloudflare:baseUrl",
            },
          ]
        : []),
      ...(connectTo && !isLoopback(baseUrl)
        ? [{ path: ["accounts:connectTo"], reason: "needs a loopback cloudflare:baseUrl" }]
        : []),
    ],
  },
  {
    id: "R10",
    message: "No placeholder is left",
    fix: "replace it with your own value",
    accept: "never",
    applies: ({ baseUrl }) => !isLoopback(baseUrl),
    check: ({ values }) =>
      Object.entries(values).flatMap(([key, value]) => placeholdersIn(value, [key])),
  },
]

function checkBaseUrl({ environment: { environment, fixture }, baseUrl }: Subject): Found[] {
  const path: Path = ["cloudflare:baseUrl"]
  const onThisMachine = isLoopback(baseUrl)
  if (!onThisMachine && baseUrl !== cloudflareApi) {
    return [{ path, reason: `may only be ${cloudflareApi}, or http:// on 127.0.0.1 or [::1]` }]
  }
  if (environment === "local" && !onThisMachine) {
    const fix = "set it to the address that `npm start` prints"
    return [{ path, reason: "must be http:// on 127.0.0.1 or [::1] in `local`", fix }]
  }
  const permanent = environment === "staging" || environment === "production"
  if (!permanent || !onThisMachine || fixture) return []
  return [{ path, reason: `is loopback, but ${environment} runs at Cloudflare` }]
}

/** RFC 2606, and what people write where they mean to come back. */
const placeholder =
  /(?:^|[^a-z0-9-])example\.(?:com|net|org|edu|dev|io)(?:$|[^a-z0-9.-])|\.(?:example|invalid)(?:$|[:/])|\b(?:change-?me|todo|fixme|placeholder|x{4,})\b|\byour-|^0{32}$/i

function placeholdersIn(value: unknown, path: Path): Found[] {
  if (typeof value === "string") {
    return placeholder.test(value) ? [{ path, reason: "is still the placeholder", value }] : []
  }
  // Reasons are words for people; values of secrets are nobody's business.
  const [key] = path
  if (typeof value !== "object" || value === null) return []
  if (key === "accounts:accept" || key === "accounts:secrets") return []
  return Object.entries(value).flatMap(([name, inner]) =>
    placeholdersIn(inner, [...path, Array.isArray(value) ? Number(name) : name]),
  )
}

/** A file that nobody has filled in yet: it cannot be deployed, and says so. */
export function isDraft({
  environment: { accountId = "", apiOrigin },
}: Pick<Subject, "environment">): boolean {
  const reserved = ["example.com", "example.net", "example.org", "example.dev"]
  const host = hostOf(apiOrigin) ?? ""
  return /^0{32}$/.test(accountId) && reserved.some((domain) => isWithin(host, domain))
}
