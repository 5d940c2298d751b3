import * as z from "zod"

/**
 * Whether a URL leads to this machine over plain HTTP. Only addresses qualify, because `localhost` is a name that may
 * resolve elsewhere. A URL with credentials does not.
 */
export function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname, username, password } = new URL(url)
  const onThisMachine = hostname === "127.0.0.1" || hostname === "[::1]"
  return protocol === "http:" && onThisMachine && username === "" && password === ""
}

/** Adds the defined values to the query of a page, which may already have a query and a fragment. */
export function addQuery(page: string, added: Record<string, string | undefined>) {
  const [target = "", ...fragment] = page.split("#")
  const separator = target.includes("?") ? "&" : "?"
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(added)) {
    if (value !== undefined) query.set(name, value)
  }
  return [`${target}${separator}${query.toString()}`, ...fragment].join("#")
}

const unusual = /[\s\\\p{Cc}]/u

/**
 * Whether a redirect leads to a trusted origin, compared exactly like the origin of a request. The library's own check
 * also matches patterns, and accepts paths, which lead to the API's host.
 */
export function isTrustedRedirect(url: unknown, trustedOrigins: string[]) {
  if (typeof url !== "string" || unusual.test(url)) return false
  const origin = URL.parse(url)?.origin
  if (origin === undefined || !trustedOrigins.includes(origin)) return false
  // Checks the text as well: without its slashes, other parsers read it as a path of the API.
  return url.startsWith(origin) && /^(?:[/?#]|$)/.test(url.slice(origin.length))
}

/**
 * Pages of the front end that an emailed link may lead to, in addition to the first page. The requester may not own
 * the address, and other pages could mislead its owner.
 */
export const LetterPages = z
  .array(
    z
      .string()
      .max(500)
      .regex(
        /^\/(?!\/)[\x21\x23-\x2b\x2d-\x5b\x5d-\x7e]*$/,
        "must be a path of the front end such as /welcome, without a comma",
      ),
  )
  .refine((list) => new Set(list).size === list.length, "must not name one thing twice")
