const probeTimeout = 5_000

/** The reason why `url` cannot be fetched, or undefined if it can. Takes at most five seconds. */
export async function whyUnreachable(url: URL, signal?: AbortSignal): Promise<string | undefined> {
  const limit = AbortSignal.timeout(probeTimeout)
  try {
    const response = await fetch(url, {
      method: "HEAD",
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    })
    return response.ok ? undefined : `${url.host} answers ${response.status}`
  } catch (cause) {
    signal?.throwIfAborted()
    if (limit.aborted) return `${url.host} does not answer within 5 seconds`
    return `${url.host} cannot be reached (${rootCause(cause)})`
  }
}

function rootCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause) return rootCause(error.cause)
  return "code" in error ? String(error.code) : error.message
}
