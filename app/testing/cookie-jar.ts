/** Keeps cookies between requests, as a browser does, and sends all of them everywhere. */
export function createCookieJar() {
  const cookies = new Map<string, string>()
  return {
    cookies,
    /** The header of the next request; none while there is no cookie. */
    header(): { cookie?: string } {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
      return cookie === "" ? {} : { cookie }
    },
    /** @param lines `Set-Cookie` headers of an answer */
    keep(lines: string[]): void {
      for (const line of lines) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        if (/;\s*max-age=0\b/i.test(line)) cookies.delete(name)
        else cookies.set(name, value)
      }
    },
  }
}
