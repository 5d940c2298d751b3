import { generateRandomString } from "better-auth/crypto"
import { parse } from "hono/utils/cookie"
import * as z from "zod"

import type { Keys } from "../../platform/configuration/keys.ts"
import { type EndpointContext, sealedCookie } from "../../platform/cookie/host-cookie.ts"

/** Maximum pending sign-ins of a browser. Each has its own cookie. */
const maxPending = 5

const SignInState = z.object({
  state: z.string(),
  provider: z.string(),
  codeVerifier: z.string(),
  callbackURL: z.string(),
  errorURL: z.string(),
  newUserURL: z.string().optional(),
  /** Start of the sign-in (Unix time, ms), if the provider must ask the user to sign in again. */
  asksSince: z.number().optional(),
  /** Id of the signed-in user who adds the identity to their account. */
  addTo: z.string().optional(),
})

export type SignInState = z.infer<typeof SignInState>

function cookieOf(state: string) {
  return sealedCookie("oauth_state", SignInState, `${state.slice(0, 8)}.`)
}

/**
 * Starts a sign-in, and seals it in a cookie named after its state, so that sign-ins in several tabs do not end each
 * other. The library uses one cookie for all of them.
 */
export async function sealState(
  context: EndpointContext,
  keys: Keys,
  input: Omit<SignInState, "state" | "codeVerifier">,
): Promise<SignInState> {
  // Browsers send every pending sign-in with every request, the oldest first (RFC 6265, 5.4), and refuse
  // headers that are too long.
  const names = Object.keys(parse(context.headers?.get("cookie") ?? ""))
  const pending = names.filter((name) => name.endsWith(".oauth_state"))
  for (const name of pending.slice(0, 1 - maxPending)) {
    cookieOf(name.split(".").at(-2) ?? "").forget(context)
  }
  const state = generateRandomString(32)
  const signIn = { ...input, state, codeVerifier: generateRandomString(128) }
  await cookieOf(state).write(context, keys, signIn)
  return signIn
}

/** Returns the sign-in of a state, or an error code. Each sign-in can be finished once. */
export async function openState(context: EndpointContext, keys: Keys, state: string | undefined) {
  if (state === undefined) return "state_not_found"
  const cookie = cookieOf(state)
  const signIn = await cookie.read(context, keys)
  // Keeps the cookie of another sign-in.
  const isOther = signIn !== undefined && signIn.state !== state
  if (isOther || !cookie.isSent(context)) return "state_mismatch"
  cookie.forget(context)
  return signIn ?? "state_invalid"
}
