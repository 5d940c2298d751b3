import type { InputProblem } from "@accounts-stack/pulumi-host"
import { unknownValue, type Values } from "@accounts-stack/pulumi-host/properties"

export type Configuration = { baseUrl: string; token: string }

const known = new Set([
  "apiKey",
  "apiToken",
  "apiUserServiceKey",
  "baseUrl",
  "email",
  "pluginDownloadURL",
  "userAgentOperatorSuffix",
  "version",
])

type Environment = Readonly<Record<string, string | undefined>>

export function checkConfiguration(args: Values, environment: Environment): InputProblem[] {
  const failures = Object.keys(args)
    .filter((name) => !known.has(name) && !name.startsWith("__"))
    .map((property) => ({ property, reason: "is unknown; remove it" }))
  const problem = baseUrlProblem(args, environment)
  return problem ? [...failures, { property: "baseUrl", reason: problem }] : failures
}

/** Why `baseUrl` is rejected; `undefined` also when a preview does not know it yet. */
export function baseUrlProblem(args: Values, environment: Environment): string | undefined {
  const baseUrl = args.baseUrl ?? environment.CLOUDFLARE_BASE_URL
  if (baseUrl === unknownValue) return undefined
  const fix =
    "The stand-in for the Cloudflare provider works with a local Cloudflare only: set " +
    "cloudflare:baseUrl to it (http://127.0.0.1:8790/client/v4), or install the official provider: " +
    "pulumi plugin install resource cloudflare"
  if (typeof baseUrl !== "string") return `is not set. ${fix}`
  const url = URL.parse(baseUrl)
  const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/
  if (url && /^https?:$/.test(url.protocol) && loopback.test(url.hostname)) return undefined
  return `is "${baseUrl}". ${fix}`
}

/** A token from the environment never gets into state. @throws when address or token is missing */
export function readConfiguration(args: Values, environment: Environment): Configuration {
  const baseUrl = args.baseUrl ?? environment.CLOUDFLARE_BASE_URL
  const problem = baseUrlProblem(args, environment)
  if (problem || typeof baseUrl !== "string") {
    throw new Error(`cloudflare:baseUrl ${problem ?? "is still unknown"}`)
  }
  const token = args.apiToken ?? environment.CLOUDFLARE_API_TOKEN
  if (typeof token !== "string" || token === "") {
    throw new Error("The token of Cloudflare's API is missing: set CLOUDFLARE_API_TOKEN")
  }
  return { baseUrl, token }
}
