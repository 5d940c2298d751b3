/**
 * Whether a URL leads to this machine over plain http. Accepts only addresses, because the name `localhost`
 * can be made to resolve elsewhere, and no credentials.
 */
export function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname, username, password } = new URL(url)
  const onThisMachine = hostname === "127.0.0.1" || hostname === "[::1]"
  return protocol === "http:" && onThisMachine && username === "" && password === ""
}

/** Whether a name means this machine (RFC 6761, section 6.3). Some resolvers know only `localhost` itself. */
export function isLocalName(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost")
}
