import * as z from "zod"

import type { EndpointContext } from "../cookie/host-cookie.ts"
import { sealedCookie } from "../cookie/sealed-cookie.ts"
import type { Keys } from "../keys.ts"
import { type Purpose, purposes } from "./credential.ts"

const Challenge = z.object({
  challenge: z.string(),
  for: z.enum(purposes),
  /** Id of the member who adds a passkey. */
  userId: z.string().optional(),
})

type Asked = Omit<z.infer<typeof Challenge>, "challenge">

const cookie = sealedCookie("passkey_challenge", Challenge)

/** Draws a challenge, and leaves it with the browser, sealed: nothing is written before something is proven. */
export async function sealChallenge(context: EndpointContext, keys: Keys, asked: Asked) {
  const challenge = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url")
  await cookie.write(context, keys, { ...asked, challenge })
  return challenge
}

/**
 * The browser's challenge, unless it was for another purpose or five minutes have passed. The cookie stays for
 * a request that comes again: what has counted the challenge says whether it is spent.
 */
export async function readChallenge(context: EndpointContext, keys: Keys, purpose: Purpose) {
  const data = await cookie.read(context, keys)
  return data?.for === purpose ? data : undefined
}
