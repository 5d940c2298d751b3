/**
 * Whether a URL leads to this machine over plain http. Addresses only: `localhost` is a name, and
 * a name can be made to resolve elsewhere. A URL with credentials is none of ours.
 */
export function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname, username, password } = new URL(url)
  const onThisMachine = hostname === "127.0.0.1" || hostname === "[::1]"
  return protocol === "http:" && onThisMachine && username === "" && password === ""
}

/** A name of this machine (RFC 6761, section 6.3). Not every system's resolver knows those but `localhost`. */
export function isLocalName(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost")
}
