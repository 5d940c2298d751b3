/** Sends an origin and keeps cookies, as a browser does. */
export function fetchWithCookies(origin: string): typeof fetch {
  const cookies = new Map<string, string>()
  return async (input, init) => {
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ")
    const headers = new Headers(init?.headers)
    headers.set("origin", origin)
    headers.set("cookie", cookie)
    const response = await fetch(input, { ...init, headers })
    // TypeScript 5.0 does not know getSetCookie.
    for (const [header, line] of response.headers) {
      if (header !== "set-cookie") continue
      const [pair = ""] = line.split(";")
      const [name = "", ...value] = pair.split("=")
      cookies.set(name, value.join("="))
    }
    return response
  }
}
