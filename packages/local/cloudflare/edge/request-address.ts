import type { IncomingMessage } from "node:http"

import type { Destination } from "./route-pattern.ts"

/** The address of a request as the Worker will see it. */
export type RequestAddress = Destination & {
  /** As sent, without the port of the HTTPS listener. */
  host: string
  url: string
}

export type EdgeListener = { scheme: "http" | "https"; port: number }

/** A name or an IPv4 or IPv6 address, and a port. */
const hostPattern = /^([\w.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i

/**
 * Undefined for a request line or Host header that no browser would send. The port of the HTTPS
 * listener stands for 443 and is removed.
 */
export function readRequestAddress(
  { headers, url: target = "" }: IncomingMessage,
  { scheme, port }: EdgeListener,
): RequestAddress | undefined {
  const sent = headers.host ?? ""
  const own = `:${port}`
  const host = scheme === "https" && sent.endsWith(own) ? sent.slice(0, -own.length) : sent
  if (!hostPattern.test(host) || !target.startsWith("/")) return undefined
  // Concatenated rather than resolved: the target `//other/` is a path of this host.
  const text = `${scheme}://${host}${target.replaceAll(/[^!-~]/g, percentEncoded)}`
  if (!URL.canParse(text)) return undefined
  const { hostname, pathname, search, href } = new URL(text)
  return { protocol: `${scheme}:`, host, hostname, pathname, search, url: href }
}

/** Node passes on each byte above ASCII as the character with that code. */
function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).padStart(2, "0").toUpperCase()}`
}
