import { randomBytes } from "node:crypto"
import type { IncomingMessage } from "node:http"

import { cf } from "../plane/request-cf.ts"
import type { RequestAddress } from "./request-address.ts"

/** Only the edge may set these: a Worker trusts them, or the data plane obeys them. */
const reserved = /^(mf-|cf-connecting-|cf-worker$|true-client-ip$|x-real-ip$)/

/** Replaces the caller's forwarding headers with those that Cloudflare's edge sets. */
export function setForwardedHeaders(
  request: IncomingMessage,
  { protocol, host }: Pick<RequestAddress, "protocol" | "host">,
): void {
  const scheme = protocol.slice(0, -1)
  const { headers, socket } = request
  for (const name of Object.keys(headers)) {
    if (reserved.test(name)) delete headers[name]
  }
  headers.host = host
  const ip = (socket.remoteAddress ?? "127.0.0.1").replace(/^::ffff:/, "")
  headers["cf-connecting-ip"] = ip
  headers["cf-ipcountry"] = cf.country
  headers["cf-ray"] = `${randomBytes(8).toString("hex")}-${cf.colo}`
  headers["cf-visitor"] = JSON.stringify({ scheme })
  headers["x-real-ip"] = ip
  headers["x-forwarded-for"] = [headers["x-forwarded-for"] ?? [], ip].flat().join(", ")
  headers["x-forwarded-proto"] = scheme
}
