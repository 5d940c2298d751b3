import { randomBytes } from "node:crypto"
import type { IncomingMessage } from "node:http"

import { cf } from "../plane/edge-error.ts"
import type { Destination } from "./routing-table.ts"

/** The address of a request, as the Worker sees it. */
export type RequestAddress = Destination & {
  /** As sent, without the port of the HTTPS listener. */
  host: string
  url: string
}

export type EdgeListener = { scheme: "http" | "https"; port: number }

/** A name or an IPv4 or IPv6 address, and a port. */
const hostPattern = /^([\w.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i

/**
 * Reads the address of a request; undefined for an invalid request line or Host header. Removes the port of the HTTPS
 * listener, which replaces 443.
 */
export function readRequestAddress(
  { headers, url: target = "" }: IncomingMessage,
  { scheme, port }: EdgeListener,
): RequestAddress | undefined {
  const authority = headers.host ?? ""
  const portSuffix = `:${port}`
  const host =
    scheme === "https" && authority.endsWith(portSuffix)
      ? authority.slice(0, -portSuffix.length)
      : authority
  if (!hostPattern.test(host) || !target.startsWith("/")) return undefined
  // Concatenated rather than resolved: the target `//other/` is a path of this host.
  const text = `${scheme}://${host}${target.replaceAll(/[^!-~]/g, percentEncoded)}`
  if (!URL.canParse(text)) return undefined
  const { hostname, pathname, search, href } = new URL(text)
  return { protocol: `${scheme}:`, host, hostname, pathname, search, url: href }
}

/** Percent-encodes a character. Node returns each byte beyond ASCII as the character with that code. */
function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).padStart(2, "0").toUpperCase()}`
}

/** Headers that only the edge may set, because Workers trust them or the data plane obeys them. */
const reserved = /^(mf-|cf-connecting-|cf-worker$|true-client-ip$|x-real-ip$)/

/** Replaces the caller's forwarding headers with the headers of Cloudflare's edge. */
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
