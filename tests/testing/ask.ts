import { request } from "node:http"

export type Answer = {
  status: number
  headers: Record<string, string[]>
  text: string
  json: unknown
}

type Question = {
  method?: string
  headers?: Record<string, string>
  /** Sent as JSON. */
  body?: unknown
  /** Address that stands for the URL's host; its own when left out. */
  connectTo?: string | undefined
  /** Of this machine, to ask from. */
  localAddress?: string
}

/** One HTTP request that keeps the URL's `Host` wherever it connects to. */
export function ask(
  url: string,
  { method, headers = {}, body, connectTo, localAddress }: Question = {},
): Promise<Answer> {
  const target = new URL(url)
  const address = new URL(connectTo ?? url)
  const payload = body === undefined ? undefined : JSON.stringify(body)
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const call = request(
    {
      host: address.hostname,
      port: address.port,
      localAddress,
      path: `${target.pathname}${target.search}`,
      method: method ?? (payload === undefined ? "GET" : "POST"),
      headers: {
        host: target.host,
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

/** The `Cookie` header that a browser would send after this answer. */
export function cookieOf({ headers }: Answer): string {
  return (headers["set-cookie"] ?? []).map((cookie) => cookie.split(";")[0]).join("; ")
}
