import { createHash } from "node:crypto"

import { type EndpointContext, withHostCookies } from "./host-cookie.ts"

const year = 365 * 24 * 60 * 60

/**
 * A signed cookie that names the address which the browser last signed in with. Such a browser has
 * its own count of attempts, so that a stranger's wrong passwords do not lock the owner out.
 */
function cookieOf(context: EndpointContext) {
  return withHostCookies(context).context.createAuthCookie("known_browser", { maxAge: year })
}

/** Id of this browser, if it has signed in with the address before. */
export async function readKnownBrowser(context: EndpointContext, email: string) {
  const value = await context.getSignedCookie(cookieOf(context).name, context.context.secret)
  const [id, owner] = typeof value === "string" ? value.split(":") : []
  return owner === hashOf(email) ? id : undefined
}

export async function markKnownBrowser(context: EndpointContext, email: string) {
  if ((await readKnownBrowser(context, email)) !== undefined) return
  const { name, attributes } = cookieOf(context)
  const value = `${crypto.randomUUID()}:${hashOf(email)}`
  await context.setSignedCookie(name, value, context.context.secret, attributes)
}

function hashOf(email: string) {
  return createHash("sha256").update(email.toLowerCase()).digest("hex").slice(0, 32)
}
