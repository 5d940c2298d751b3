type Source = {
  /** Asked for each time, because a restart changes it. */
  api: () => string
  token: () => Promise<string>
}

/** What tests send requests with to the API of a local Cloudflare. */
export function apiClients({ api, token }: Source) {
  return {
    async client() {
      // The SDK takes half a second to load, which most callers need not spend.
      const { default: Cloudflare } = await import("cloudflare")
      return new Cloudflare({ apiToken: await token(), baseURL: api(), maxRetries: 0 })
    },
    /** For requests that no SDK would send. */
    async request(path: string, init: RequestInit = {}) {
      const headers = new Headers(init.headers)
      if (!headers.has("authorization")) headers.set("authorization", `Bearer ${await token()}`)
      return fetch(`${api()}${path}`, { ...init, headers })
    },
  }
}
