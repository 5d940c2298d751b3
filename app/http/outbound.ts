/** Milliseconds. */
const timeout = 5_000
/** Bytes. */
const maxResponseSize = 256 * 1024

/**
 * Calls an external service with a timeout and a limit on the size of its response, and follows no
 * redirect. Throws errors that name the host but never the query, which may hold secrets.
 */
export async function call(url: string, init: RequestInit = {}) {
  const { host } = new URL(url)
  const signal = AbortSignal.timeout(timeout)
  const response = await fetch(url, { ...init, redirect: "manual", signal })
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel()
    throw new Error(`${host} redirects; redirects are not followed`)
  }
  return { status: response.status, ok: response.ok, text: await readBounded(response, host) }
}

/** Like `call`, but throws unless the response is a success with a JSON body. */
export async function callForJson(url: string, init: RequestInit = {}): Promise<unknown> {
  const { ok, status, text } = await call(url, init)
  if (!ok) throw new Error(`${new URL(url).host} answers ${status}`)
  return JSON.parse(text)
}

async function readBounded(response: Response, host: string) {
  const decoder = new TextDecoder()
  let text = ""
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > maxResponseSize) {
      throw new Error(`${host} answers more than ${maxResponseSize} bytes`)
    }
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
