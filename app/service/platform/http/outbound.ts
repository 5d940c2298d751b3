/** Milliseconds. */
const standardTimeout = 5_000
/** Bytes. */
const maxResponseSize = 256 * 1024

/** The service sent no response, or one that reports an outage. */
export class Unavailable extends Error {}

/**
 * Calls an external service with a timeout and a size limit for the response, without following redirects. Errors name
 * the host but never the query, which may contain secrets.
 */
export async function call(url: string, init: RequestInit = {}, timeout = standardTimeout) {
  const { host } = new URL(url)
  const signal = AbortSignal.timeout(timeout)
  const unavailable = (cause: unknown) => {
    const name = cause instanceof Error ? cause.name : "unknown"
    throw new Unavailable(`${host} cannot be reached (${name})`, { cause })
  }
  const response = await fetch(url, { ...init, redirect: "manual", signal }).catch(unavailable)
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel()
    throw new Error(`${host} redirects; redirects are not followed`)
  }
  const text = await readBounded(response).catch(unavailable)
  if (text === undefined) throw new Error(`${host} answers more than ${maxResponseSize} bytes`)
  const type = response.headers.get("content-type")
  return { status: response.status, ok: response.ok, text, type }
}

/** Wraps `call` as `fetch`, for libraries. @throws Unavailable if the service is down */
export async function callLikeFetch(
  url: string,
  {
    method,
    headers: requestHeaders,
    body,
  }: {
    method: string
    headers: NonNullable<ConstructorParameters<typeof Headers>[0]>
    body?: unknown
  },
) {
  const form = body instanceof URLSearchParams ? { body } : {}
  const { status, text, type } = await call(url, { method, headers: requestHeaders, ...form })
  if (status >= 500) throw new Unavailable(`${new URL(url).host} answers ${status}`)
  const headers = new Headers(type === null ? {} : { "content-type": type })
  return new Response(text === "" ? null : text, { status, headers })
}

/** @public Like `call`, but throws unless the response is a success with a JSON body. */
export async function callForJson(url: string, init: RequestInit = {}): Promise<unknown> {
  const { ok, status, text } = await call(url, init)
  if (!ok) {
    const message = `${new URL(url).host} answers ${status}`
    throw status >= 500 ? new Unavailable(message) : new Error(message)
  }
  return JSON.parse(text)
}

/** Returns undefined if the response is larger than the limit. */
async function readBounded(response: Response) {
  const decoder = new TextDecoder()
  let text = ""
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > maxResponseSize) return undefined
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
