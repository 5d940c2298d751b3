/** Adds to the query of a page, which may have one already, and a fragment. */
export function addQuery(page: string, added: Record<string, string>) {
  const [target = "", ...fragment] = page.split("#")
  const separator = target.includes("?") ? "&" : "?"
  return [`${target}${separator}${new URLSearchParams(added).toString()}`, ...fragment].join("#")
}

const unusual = /[\s\\\p{Cc}]/u

/**
 * Whether a redirect leads to a trusted origin: compared exactly, as the origin of a call is. The
 * library's own check also matches patterns, and accepts paths, which lead to the API's own host.
 */
export function isTrustedRedirect(url: unknown, trustedOrigins: string[]) {
  if (typeof url !== "string" || unusual.test(url)) return false
  const origin = URL.parse(url)?.origin
  if (origin === undefined || !trustedOrigins.includes(origin)) return false
  // As it is written, too: without its slashes, others read it as a path of the API.
  return url.startsWith(origin) && /^(?:[/?#]|$)/.test(url.slice(origin.length))
}
