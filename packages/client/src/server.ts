import type { Send } from "./send.ts"

type Options = {
  /** The reader's, as it came to your server. */
  request: Request
  /** Replaces the global `fetch`. */
  fetch?: Send
  /** Of your front end, where the URL of the request is not what the reader's browser shows. */
  origin?: string
  /**
   * The reader's address, as the network reports it: `cf-connecting-ip` on Cloudflare, the socket's without
   * a proxy. Never a header that readers may set.
   */
  address?: string | null | undefined
  /** FRONT_END_KEY of the environment, which makes the service believe the address. */
  key?: string | undefined
  /** Id of the user for whom the form was made: the service refuses the writes of any other. */
  user?: string | null | undefined
}

/**
 * Returns a `fetch` for `createClient` that calls the service on behalf of the reader of one request, and
 * the `set-cookie` lines of the answers, which the reader must get.
 */
export function forwardRequest(options: Options): { fetch: Send; cookies: string[] } {
  const { request, fetch: send = (...args) => fetch(...args), address, key, user } = options
  const reader = request.headers
  const cookies: string[] = []
  const jar = new Map<string, string>()
  for (const pair of (reader.get("cookie") ?? "").split("; ")) keep(jar, pair)
  // The browser says which site's form it is: your server must not vouch for another site's.
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

/** A signature is valid for five minutes, so that a header found in a log is worth nothing. */
async function sign(address: string, key: string) {
  const text = `${Math.floor(Date.now() / 1000)} ${address}`
  const bytes = (value: string) => new TextEncoder().encode(value)
  const hmac = { name: "HMAC", hash: "SHA-256" }
  const imported = await crypto.subtle.importKey("raw", bytes(key), hmac, false, ["sign"])
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", imported, bytes(text)))
  const hex = Array.from(signature, (byte) => byte.toString(16).padStart(2, "0")).join("")
  return `${text} ${hex}`
}
