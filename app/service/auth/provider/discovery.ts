import { createRemoteJWKSet, customFetch } from "jose"
import * as z from "zod"

import { callForJson } from "../../http/outbound.ts"

/** Milliseconds that metadata and keys are cached. */
const lifetime = 60 * 60 * 1000
/** Milliseconds between two fetches of keys for unknown key ids. */
const cooldown = 30 * 1000

const Discovery = z.object({
  issuer: z.string(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  userinfo_endpoint: z.url().optional(),
  jwks_uri: z.url(),
  token_endpoint_auth_methods_supported: z.array(z.string()).default(["client_secret_basic"]),
  authorization_response_iss_parameter_supported: z.boolean().default(false),
})

export type Discovery = z.infer<typeof Discovery>

type Cached<Value> = { value: Value; at: number }

/* No pending promise: it belongs to one request, and others would wait for it forever. */
const discoveries = new Map<string, Cached<Discovery>>()
const keySets = new Map<string, ReturnType<typeof createRemoteJWKSet>>()

/** Returns a provider's metadata. Throws if it names another issuer, or plain http for an https issuer. */
export async function discover({ issuer, metadata }: { issuer: string; metadata: string }) {
  const cached = discoveries.get(metadata)
  if (cached !== undefined && Date.now() - cached.at < lifetime) return cached.value
  const url = `${metadata.replace(/\/$/, "")}/.well-known/openid-configuration`
  const value = Discovery.parse(await callForJson(url))
  if (value.issuer !== issuer) throw new Error(`${url} names another issuer`)
  const plain = Object.entries(value).find(
    ([name, at]) => typeof at === "string" && !sameSecurity(issuer, at) && name !== "issuer",
  )
  if (plain !== undefined) throw new Error(`${url}: ${plain[0]} must begin with https://`)
  discoveries.set(metadata, { value, at: Date.now() })
  return value
}

function sameSecurity(issuer: string, url: string) {
  return url.startsWith("https://") || !issuer.startsWith("https://")
}

/** Resolves a provider's signing keys; fetches them again for an unknown key id. */
export function keysOf(uri: string) {
  const known = keySets.get(uri)
  if (known !== undefined) return known
  const keys = createRemoteJWKSet(new URL(uri), {
    cacheMaxAge: lifetime,
    cooldownDuration: cooldown,
    [customFetch]: async (url: string) => Response.json(await callForJson(url)),
  })
  keySets.set(uri, keys)
  return keys
}
