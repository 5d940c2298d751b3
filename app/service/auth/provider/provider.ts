import * as z from "zod"

import { conceal, type Secret } from "../../configuration/secret.ts"
import { identityProviderBindings, ProviderDeclaration } from "../provider-declaration.ts"
import { type Behaviour, behaviourOf } from "./preset.ts"

export type IdentityProvider = Behaviour & {
  id: string
  clientId: string
  /** Undefined for a public client, whose code only PKCE protects; Apple's is a private key. */
  clientSecret: Secret | undefined
}

const id = z.string().regex(/^[a-z][a-z0-9-]*$/, "must be lower-case letters, digits and hyphens")

const Declared = z.record(id, ProviderDeclaration)

/** An identity of these ids is a password, or `/sign-in/<id>` is another path: a test knows all of them. */
const reservedIds = new Set([
  "credential",
  "password",
  "social",
  "email",
  "code",
  "passkey",
  "second-factor",
])

/** Reads IDENTITY_PROVIDERS and each provider's client id and secret. */
export function readProviders(env: Readonly<Record<string, unknown>>) {
  const problems: string[] = []
  const providers: IdentityProvider[] = []
  const permanent = env["ENVIRONMENT"] === "staging" || env["ENVIRONMENT"] === "production"
  const parsed = Declared.safeParse(parseJson(env["IDENTITY_PROVIDERS"] ?? "{}"))
  for (const issue of parsed.error?.issues ?? []) {
    problems.push(`${["IDENTITY_PROVIDERS", ...issue.path].join(".")}: ${issue.message}`)
  }
  for (const [name, declared] of Object.entries(parsed.data ?? {})) {
    const at = `IDENTITY_PROVIDERS.${name}`
    const names = identityProviderBindings(name)
    const clientId = env[names.clientId]
    const clientSecret = env[names.clientSecret]
    const behaviour = behaviourOf(declared)
    if (reservedIds.has(name)) problems.push(`${at}: the name is reserved`)
    if (permanent && !behaviour.issuer.startsWith("https://")) {
      problems.push(`${at}: must begin with https:// in a permanent environment`)
    }
    if (behaviour.apple !== undefined && !isPrivateKey(clientSecret)) {
      problems.push(`${names.clientSecret}: must be the private key of Apple's .p8 file`)
    }
    if (typeof clientId !== "string") {
      problems.push(`${names.clientId}: is missing for identity provider ${name}`)
      continue
    }
    providers.push({
      ...behaviour,
      id: name,
      clientId,
      clientSecret: typeof clientSecret === "string" ? conceal(clientSecret) : undefined,
    })
  }
  return { providers, problems }
}

function isPrivateKey(secret: unknown) {
  return typeof secret === "string" && secret.startsWith("-----BEGIN PRIVATE KEY-----")
}

/** The text itself if it is no JSON. */
export function parseJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return text
  }
}
