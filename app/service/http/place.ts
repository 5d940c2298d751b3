const plain = /^https?:\/\/[\w.:[\]-]+(\/[\w/-]*)$/
const none = new URLSearchParams()

/** As `URL` reads it, which takes far longer for what most requests have: a plain path and no query. */
export function placeOf(url: string): Pick<URL, "pathname" | "searchParams"> {
  const [, pathname] = plain.exec(url) ?? []
  return pathname === undefined ? new URL(url) : { pathname, searchParams: none }
}
