import * as z from "zod"

import { type EndpointContext, withHostCookies } from "../cookie/host-cookie.ts"
import { type Keys, kinds } from "../keys.ts"
import { type Purpose, purposes } from "./credential.ts"

const kind = "passkey_challenge"

const Challenge = z.object({
  challenge: z.string(),
  for: z.enum(purposes),
  /** Id of the member who adds a passkey. */
  userId: z.string().optional(),
})

type Asked = Omit<z.infer<typeof Challenge>, "challenge">

/** Draws a challenge, and leaves it with the browser, sealed: nothing is written before something is proven. */
export async function sealChallenge(context: EndpointContext, keys: Keys, asked: Asked) {
  const challenge = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url")
  const { name, attributes } = cookieOf(context)
  const value = await keys.seal(kind, { ...asked, challenge })
  context.setCookie(name, value, { ...attributes, maxAge: kinds[kind] })
  return challenge
}

/**
 * The browser's challenge, unless it was for another purpose or five minutes have passed. The cookie stays for
 * a request that comes again: what has counted the challenge says whether it is spent.
 */
export async function readChallenge(context: EndpointContext, keys: Keys, purpose: Purpose) {
  const value = context.getCookie(cookieOf(context).name)
  if (value === null) return undefined
  const opened = await keys.open(kind, value)
  if (opened === undefined || opened.isExpired) return undefined
  const { data } = Challenge.safeParse(opened.claims)
  return data?.for === purpose ? data : undefined
}

function cookieOf(context: EndpointContext) {
  return withHostCookies(context).context.createAuthCookie(kind)
}
