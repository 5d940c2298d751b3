import { getIp } from "better-auth/api"
import { generateRandomString } from "better-auth/crypto"

import { createId } from "../database/identifier.ts"
import { sessionLifetime } from "./cookie/browser-cookies.ts"
import type { EndpointContext } from "./cookie/host-cookie.ts"

/** Seconds of a session that ends with the browser. */
const day = 24 * 60 * 60

/**
 * The row of a session, as the library makes it, for the batch of what opens it.
 * @param forgets whether it ends with the browser
 */
export function newSession(context: EndpointContext, userId: string, forgets = false) {
  const now = new Date()
  return {
    id: createId("session"),
    userId,
    token: generateRandomString(32, "a-z", "A-Z", "0-9"),
    ipAddress: getIp(context.headers ?? new Headers(), context.context.options) ?? "",
    userAgent: context.headers?.get("user-agent") ?? "",
    expiresAt: new Date(now.getTime() + (forgets ? day : sessionLifetime) * 1000),
    createdAt: now,
    updatedAt: now,
  }
}
