import * as z from "zod"

import type { Configuration } from "../platform/configuration/configuration.ts"
import { createApiError, retryUnavailable } from "../platform/http/failure.ts"
import { log, reasonOf } from "../platform/http/log.ts"
import { call } from "../platform/http/outbound.ts"

/** Cloudflare's tokens have at most 2048 characters. */
export const TurnstileToken = z.string().max(2048).optional()

const Verdict = z.object({
  success: z.boolean(),
  hostname: z.string().optional(),
  action: z.string().optional(),
  "error-codes": z.array(z.string()).default([]),
})

/** Codes that mean an invalid token; every other code means that the service's request failed. */
const ofTokens = new Set([
  "missing-input-response",
  "invalid-input-response",
  "timeout-or-duplicate",
])

type Given = { path: string; body?: unknown }

/** Returns the action that a widget must name for a path: `sign-up-email` for /sign-up/email. */
export function turnstileAction(path: string) {
  return path.slice(1).replaceAll("/", "-")
}

/**
 * Throws unless a browser passed Turnstile for this path on a trusted origin. A token works once, for five minutes:
 * https://developers.cloudflare.com/turnstile/get-started/server-side-validation/
 */
export async function checkTurnstile(
  { path, body }: Given,
  turnstile: NonNullable<Configuration["turnstile"]>,
  trustedOrigins: string[],
) {
  const response: unknown = Object(body).turnstile
  if (typeof response !== "string" || response === "") throw createApiError("TURNSTILE_REFUSED")
  const { success, hostname, action } = await ask(turnstile, response)
  const isOurs = trustedOrigins.some((origin) => new URL(origin).hostname === hostname)
  if (!success || !isOurs || action !== turnstileAction(path)) {
    throw createApiError("TURNSTILE_REFUSED")
  }
}

async function ask({ url, secret }: NonNullable<Configuration["turnstile"]>, response: string) {
  try {
    const body = new URLSearchParams({ secret: secret.reveal(), response })
    const { text } = await call(`${url}/turnstile/v0/siteverify`, { method: "POST", body })
    const verdict = Verdict.parse(JSON.parse(text))
    const ours = verdict["error-codes"].filter((code) => !ofTokens.has(code))
    if (ours.length > 0) throw new Error(`Turnstile says ${ours.join(", ")}`)
    return verdict
  } catch (error) {
    log("error", "turnstile.unavailable", { reason: reasonOf(error) })
    throw createApiError("TURNSTILE_UNAVAILABLE", { "retry-after": String(retryUnavailable) })
  }
}
