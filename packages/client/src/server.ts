import type { Send } from "./send.ts"

type Options = {
  /** The reader's request to your server. */
  request: Request
  /** Replaces the global `fetch`. */
  fetch?: Send
  /** Origin of your front end, if the request's URL differs from the URL in the reader's browser. */
  origin?: string
  /**
   * The reader's address, as the network reports it: `cf-connecting-ip` on Cloudflare, the socket's without
   * a proxy. Never a header that readers may set.
   */
  address?: string | null | undefined
  /** FRONT_END_KEY of the environment, which makes the service trust the address. */
  key?: string | undefined
  /** Id of the user who got the form. The service refuses the writes of any other user. */
  user?: string | null | undefined
}

/**
 * Returns a `fetch` for `createClient` that calls the service on behalf of the reader of one request, and
 * the `set-cookie` lines of the responses, which your server must pass to the reader.
 */
export function forwardRequest(options: Options): { fetch: Send; cookies: string[] } {
  const { request, fetch: send = (...args) => fetch(...args), address, key, user } = options
  const reader = request.headers
  const cookies: string[] = []
  const jar = new Map<string, string>()
  for (const pair of (reader.get("cookie") ?? "").split("; ")) keep(jar, pair)
  // For writes, only the browser names the origin: your server must not vouch for another site's form.
  const isRead = request.method === "GET" || request.method === "HEAD"
  const ownOrigin = isRead ? (options.origin ?? new URL(request.url).origin) : null
  const origin = reader.get("origin") ?? ownOrigin

  return {
    cookies,
    fetch: async (input, init) => {
      const headers = new Headers(init?.headers)
      const cookie = [...jar].map((pair) => pair.join("=")).join("; ")
      const added = {
        cookie,
        origin,
        "user-agent": reader.get("user-agent"),
        "accounts-user": headers.get("accounts-user") ?? user,
        "accounts-caller": key && address && (await sign(address, key)),
      }
      for (const [name, value] of Object.entries(added)) {
        if (value) headers.set(name, value)
      }
      const response = await send(input, { ...init, headers })
      for (const line of response.headers.getSetCookie()) {
        cookies.push(line)
        const [pair = "", ...attributes] = line.split(/; */)
        keep(
          jar,
          attributes.some((attribute) => /^max-age=0$/i.test(attribute))
            ? `${pair.split("=")[0]}=`
            : pair,
        )
      }
      return response
    },
  }
}

function keep(jar: Map<string, string>, pair: string) {
  const [name = "", ...value] = pair.split("=")
  if (value.join("=") === "") jar.delete(name)
  else jar.set(name, value.join("="))
}

/** Signs an address. A signature is valid for five minutes, so that a header in a log is useless. */
async function sign(address: string, key: string) {
  const text = `${Math.floor(Date.now() / 1000)} ${address}`
  const bytes = (value: string) => new TextEncoder().encode(value)
  const hmac = { name: "HMAC", hash: "SHA-256" }
  const imported = await crypto.subtle.importKey("raw", bytes(key), hmac, false, ["sign"])
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", imported, bytes(text)))
  const hex = Array.from(signature, (byte) => byte.toString(16).padStart(2, "0")).join("")
  return `${text} ${hex}`
}
