/** The first cookie of the name wins. Its value, decoded; undefined also if that is not possible. */
export function readCookie(headers: Headers, name: string) {
  const pairs = (headers.get("cookie") ?? "").split(";")
  const pair = pairs.find((candidate) => candidate.trimStart().startsWith(`${name}=`))
  return pair && decodeCookie(pair.slice(pair.indexOf("=") + 1).trim())
}

/** Another site's cookie may hold anything. */
export function decodeCookie(text: string) {
  if (!text.includes("%")) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
