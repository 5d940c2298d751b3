import * as z from "zod"

import { identityProviderBindings } from "../../bindings.ts"
import { conceal, type Secret } from "../../secret.ts"

export type IdentityProvider = {
  id: string
  issuer: string
  clientId: string
  /** Undefined for a public client, whose code only PKCE protects. */
  clientSecret: Secret | undefined
  scopes: string[]
}

const id = z.string().regex(/^[a-z][a-z0-9-]*$/, "must be lower-case letters, digits and hyphens")

const issuer = z.url().refine((value) => value.startsWith("https://") || isLoopback(value), {
  error: "must begin with https://",
})

const Declared = z.record(
  id,
  z.strictObject({
    issuer,
    scopes: z.array(z.string()).default(["openid", "email", "profile"]),
  }),
)

/** `/sign-in/<id>` with these ids belongs to the library. */
const reservedIds = new Set(["email", "social"])

/** Reads IDENTITY_PROVIDERS and each provider's client id and secret. */
export function readProviders(env: Readonly<Record<string, unknown>>) {
  const problems: string[] = []
  const providers: IdentityProvider[] = []
  const declared = Declared.safeParse(parseJson(env["IDENTITY_PROVIDERS"] ?? "{}"))
  for (const issue of declared.error?.issues ?? []) {
    problems.push(`${["IDENTITY_PROVIDERS", ...issue.path].join(".")}: ${issue.message}`)
  }
  for (const [name, { issuer: at, scopes }] of Object.entries(declared.data ?? {})) {
    const names = identityProviderBindings(name)
    const clientId = env[names.clientId]
    const clientSecret = env[names.clientSecret]
    if (reservedIds.has(name)) problems.push(`IDENTITY_PROVIDERS.${name}: the name is reserved`)
    if (typeof clientId !== "string") {
      problems.push(`${names.clientId}: is missing for identity provider ${name}`)
      continue
    }
    providers.push({
      id: name,
      issuer: at,
      clientId,
      clientSecret: typeof clientSecret === "string" ? conceal(clientSecret) : undefined,
      scopes,
    })
  }
  return { providers, problems }
}

function parseJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return text
  }
}

function isLoopback(url: string) {
  return /^http:\/\/(localhost|127\.0\.0\.1)(:\d+)?(\/|$)/.test(url)
}
