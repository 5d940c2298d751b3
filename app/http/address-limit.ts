import type { Context, Next } from "hono"

import { isWithin, retryAfter } from "../rate-limit.ts"
import { fail } from "./failure.ts"
import type { Http } from "./hono-env.ts"

/** Per client address, for what costs a password hash or sends a mail. */
export async function limitAddress(context: Context<Http>, next: Next) {
  const address = context.req.header("cf-connecting-ip")
  if (context.req.method !== "POST" || address === undefined) return next()
  const key = `${networkOf(address)} ${context.req.path}`
  if (await isWithin(context.env.LIMIT_ADDRESS, key)) return next()
  context.header("retry-after", String(retryAfter))
  return fail(context, "TOO_MANY_REQUESTS")
}

/** A household or server has a /64 of IPv6: its single addresses say nothing. */
function networkOf(address: string) {
  return address.includes(":") ? expand(address).slice(0, 4).join(":") : address
}

function expand(address: string) {
  const [head = "", tail = ""] = address.split("::")
  const first = head.split(":").filter((group) => group !== "")
  const last = tail.split(":").filter((group) => group !== "")
  const gap = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => "0")
  return [...first, ...gap, ...last]
}
