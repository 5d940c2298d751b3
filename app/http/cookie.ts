/** The first cookie of the name wins. */
export function readCookie(headers: Headers, name: string) {
  const pairs = (headers.get("cookie") ?? "").split(";")
  const pair = pairs.find((candidate) => candidate.trimStart().startsWith(`${name}=`))
  return pair?.slice(pair.indexOf("=") + 1).trim()
}
