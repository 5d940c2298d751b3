import { readAddressCookie, setAddressCookie } from "./address-cookie.ts"
import type { EndpointContext } from "./host-cookie.ts"

const year = 365 * 24 * 60 * 60

/**
 * Names the address which the browser last signed in with. Such a browser has its own count of
 * attempts, so that a stranger's wrong passwords do not lock the owner out.
 */
const knownBrowser = { name: "known_browser", maxAge: year }

/** Id of this browser, if it has signed in with the address before. */
export function readKnownBrowser(context: EndpointContext, email: string) {
  return readAddressCookie(context, knownBrowser, email)
}

export async function markKnownBrowser(context: EndpointContext, email: string) {
  // Again for a browser that has the mark: a rotation of the secret ends those that are not renewed.
  const id = (await readKnownBrowser(context, email)) ?? crypto.randomUUID()
  await setAddressCookie(context, knownBrowser, { id, email })
}
