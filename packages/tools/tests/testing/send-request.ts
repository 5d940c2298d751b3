import { request } from "node:http"

export type HttpResponse = {
  status: number
  headers: Record<string, string[]>
  text: string
  json: unknown
}

type RequestOptions = {
  method?: string
  headers?: Record<string, string>
  /** Sent as JSON. */
  body?: unknown
  /** Address to connect to instead of the URL's host. */
  connectTo?: string | undefined
  /** Address of this machine to connect from. */
  localAddress?: string
}

/** Sends one HTTP request. The `Host` header is the URL's, even with `connectTo`. */
export function sendRequest(
  url: string,
  { method, headers = {}, body, connectTo, localAddress }: RequestOptions = {},
): Promise<HttpResponse> {
  const target = new URL(url)
  const address = new URL(connectTo ?? url)
  const payload = body === undefined ? undefined : JSON.stringify(body)
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>()
  const call = request(
    {
      host: address.hostname,
      port: address.port,
      localAddress,
      path: `${target.pathname}${target.search}`,
      method: method ?? (payload === undefined ? "GET" : "POST"),
      headers: {
        host: target.host,
        "user-agent": "accounts-tests",
        ...(payload === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
    },
    (response) => {
      const chunks: Buffer[] = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("error", reject)
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString()
        resolve({
          status: response.statusCode ?? 0,
          headers: Object.fromEntries(
            Object.entries(response.headersDistinct).map(([name, values]) => [name, values ?? []]),
          ),
          text,
          json: parse(text),
        })
      })
    },
  )
  call.on("error", reject)
  call.end(payload)
  return promise
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The `Cookie` header that a browser would send after this response. */
export function cookieHeader({ headers }: HttpResponse): string {
  return (headers["set-cookie"] ?? []).map((cookie) => cookie.split(";")[0]).join("; ")
}
