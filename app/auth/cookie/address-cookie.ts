import { createHash } from "node:crypto"

import { type EndpointContext, withHostCookies } from "./host-cookie.ts"

type Kind = { name: string; maxAge: number }

/**
 * A signed cookie that binds an id to an e-mail address, which it holds as a hash. It is for the
 * API's host alone, so that no sibling can plant it.
 */
export async function readAddressCookie(context: EndpointContext, { name }: Kind, email: string) {
  const cookie = withHostCookies(context).context.createAuthCookie(name)
  const value = await context.getSignedCookie(cookie.name, context.context.secret)
  const [id, owner] = typeof value === "string" ? value.split(":") : []
  return owner === hashOf(email) ? id : undefined
}

export async function setAddressCookie(
  context: EndpointContext,
  { name, maxAge }: Kind,
  { id, email }: { id: string; email: string },
) {
  const cookie = withHostCookies(context).context.createAuthCookie(name, { maxAge })
  const value = `${id}:${hashOf(email)}`
  await context.setSignedCookie(cookie.name, value, context.context.secret, cookie.attributes)
}

function hashOf(email: string) {
  return createHash("sha256").update(email.toLowerCase()).digest("hex").slice(0, 32)
}
