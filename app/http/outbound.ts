const deadline = 5_000
const largest = 256 * 1024

/**
 * Calls a service outside: no redirect is followed, and neither time nor the answer's size is the
 * other side's to choose. Throws an error that names the host and never the URL's query.
 */
export async function call(url: string, init: RequestInit = {}) {
  const { host } = new URL(url)
  const signal = AbortSignal.timeout(deadline)
  const response = await fetch(url, { ...init, redirect: "manual", signal })
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel()
    throw new Error(`${host} redirects, which is not followed`)
  }
  return { status: response.status, ok: response.ok, text: await readBounded(response, host) }
}

/** As `call`, for an answer that must be a success and JSON. */
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
    if (size > largest) throw new Error(`${host} answers more than ${largest} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
