import { generateRandomString } from "better-auth/crypto"
import * as z from "zod"

import { type EndpointContext, withHostCookies } from "../cookie/host-cookie.ts"
import { type Keys, kinds } from "../keys.ts"

/** Sign-ins that one browser may have under way: each has a cookie of its own. */
const maxPending = 5
const suffix = "oauth_state"

const SignInState = z.object({
  state: z.string(),
  provider: z.string(),
  codeVerifier: z.string(),
  callbackURL: z.string(),
  errorURL: z.string(),
  newUserURL: z.string().optional(),
  /** Where the provider was to ask again who it is: the sign-in's begin, in milliseconds. */
  asksSince: z.number().optional(),
  /** Id of the signed-in user who adds the identity to their account. */
  addTo: z.string().optional(),
})

export type SignInState = z.infer<typeof SignInState>

/**
 * Begins a sign-in, sealed in a cookie that its state names, so that sign-ins in several tabs do not
 * end each other. The library has one cookie for all of them.
 */
export async function sealState(
  context: EndpointContext,
  keys: Keys,
  given: Omit<SignInState, "state" | "codeVerifier">,
): Promise<SignInState> {
  dropOldest(context)
  const sealed = {
    ...given,
    state: generateRandomString(32),
    codeVerifier: generateRandomString(128),
  }
  const value = await keys.seal(suffix, sealed)
  const { name, attributes } = cookieOf(context, sealed.state)
  context.setCookie(name, value, { ...attributes, maxAge: kinds[suffix] })
  return sealed
}

/** Returns the sign-in of a state, which can be finished once, or the code of the error. */
export async function openState(context: EndpointContext, keys: Keys, state: string | undefined) {
  if (state === undefined) return "state_not_found"
  const { name, attributes } = cookieOf(context, state)
  const value = context.getCookie(name)
  if (value === null) return "state_mismatch"
  const opened = await read(keys, value)
  // That of another sign-in, which goes on.
  if (opened !== undefined && opened.state !== state) return "state_mismatch"
  context.setCookie(name, "", { ...attributes, maxAge: 0 })
  return opened ?? "state_invalid"
}

function cookieOf(context: EndpointContext, state: string) {
  return withHostCookies(context).context.createAuthCookie(`${state.slice(0, 8)}.${suffix}`)
}

async function read(keys: Keys, value: string) {
  const opened = await keys.open(suffix, value)
  return opened?.isExpired === false ? SignInState.safeParse(opened.claims).data : undefined
}

/**
 * Browsers send every pending sign-in with every request, the oldest first (RFC 6265, 5.4), and refuse
 * headers that are too long.
 */
function dropOldest(context: EndpointContext) {
  const names = [
    ...(context.headers?.get("cookie") ?? "").matchAll(/(?<=^|; )[^=; ]+\.oauth_state(?==)/g),
  ]
  const { attributes } = cookieOf(context, "")
  for (const [name] of names.slice(0, Math.max(0, names.length - maxPending + 1))) {
    context.setCookie(name, "", { ...attributes, maxAge: 0 })
  }
}
