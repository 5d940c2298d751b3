import { isLoopback } from "../../base/loopback.ts"
import { cloudflareApi } from "../../base/process-environment.ts"
import { permanent } from "../stack-keys.ts"
import { at, type Found, type Rule, type Subject, textsIn } from "./rule.ts"
import { hostOf, isWithin } from "./url.ts"

export const accountRules: Rule[] = [
  {
    id: "R06",
    message: "The name of a stack and its accounts:environment agree",
    fix: "change accounts:environment, or rename the stack with its file",
    applies: ({ environment }) => environment.environment !== undefined,
    check: ({ stack, environment: { environment } }) => {
      const namedEnvironment = /^(local|preview|staging|production)(?:-|$)/.exec(stack)?.[1]
      const differs = namedEnvironment !== undefined && namedEnvironment !== environment
      return at(
        "accounts:environment",
        differs && `is ${environment}, but the stack is called ${stack}`,
      )
    },
  },
  {
    id: "R08",
    message: "Only Cloudflare's API, or one on this machine where that is meant, is called",
    fix: "remove it",
    check: checkBaseUrl,
  },
  {
    id: "R09",
    message: "Keys for tests lead to this machine alone, and are in no committed file",
    fix: "remove it",
    check: ({ environment: { fixture, connectTo }, baseUrl, committed }) => {
      const reason = !isLoopback(baseUrl) && "needs a loopback cloudflare:baseUrl"
      const problem = committed ? "this file is committed" : reason
      return [
        ...at("accounts:fixture", fixture && problem && `is for tests only, and ${problem}`),
        ...at("accounts:connectTo", connectTo !== undefined && reason),
      ]
    },
  },
  {
    id: "R10",
    message: "No placeholder is left",
    fix: "replace it with your own value",
    applies: ({ baseUrl }) => !isLoopback(baseUrl),
    check: ({ values }) =>
      Object.entries(values)
        // Skips reasons, which are free text, and secrets, whose values are never read.
        .filter(([key]) => key !== "accounts:accept" && key !== "accounts:secrets")
        .flatMap(([key, value]) => textsIn(value, [key]))
        .filter(({ text }) => placeholder.test(text))
        .map(({ path, text }) => ({ path, reason: "is still the placeholder", value: text })),
  },
]

function checkBaseUrl({ environment: stack, baseUrl }: Subject): Found[] {
  const { environment, fixture } = stack
  const key = "cloudflare:baseUrl"
  const onThisMachine = isLoopback(baseUrl)
  if (!onThisMachine && baseUrl !== cloudflareApi) {
    return at(key, `may only be ${cloudflareApi}, or http:// on 127.0.0.1 or [::1]`)
  }
  if (environment === "local" && !onThisMachine) {
    const fix = "set it to the address that `npm start` prints"
    return [{ path: [key], reason: "must be http:// on 127.0.0.1 or [::1] in `local`", fix }]
  }
  const isElsewhere = permanent(stack) && onThisMachine && !fixture
  return at(key, isElsewhere && `is loopback, but ${environment} runs at Cloudflare`)
}

/** Matches reserved names (RFC 2606), and common words for unfinished values. */
const placeholder =
  /(?:^|[^a-z0-9-])example\.(?:com|net|org|edu|dev|io)(?:$|[^a-z0-9.-])|\.(?:example|invalid)(?:$|[:/])|\b(?:change-?me|todo|fixme|placeholder|x{4,})\b|\byour-|^0{32}$/i

/** Whether the file is not filled in yet: then it cannot be deployed. */
export function isDraft({
  environment: { accountId = "", apiOrigin },
}: Pick<Subject, "environment">): boolean {
  const reserved = ["example.com", "example.net", "example.org", "example.dev"]
  const host = hostOf(apiOrigin) ?? ""
  return /^0{32}$/.test(accountId) && reserved.some((domain) => isWithin(host, domain))
}
