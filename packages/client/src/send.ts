import type { Issue, Proof, SuspensionReason, UnknownCredential } from "./operation.ts"

export type Send = typeof fetch

/** A browser sends cookies to another subdomain only with this option, which the types of Workers lack. */
const withCookies = { credentials: "include" } as const

type Call = { method: string; path: string }

export type Fields = Record<string, unknown>

/** Parameters are texts and numbers. */
function textOf(value: unknown) {
  return typeof value === "string" ? value : JSON.stringify(value)
}

/** Returns the URL of a call. Fields that its path does not name become query parameters. */
export function urlOf(base: string, { path }: Pick<Call, "path">, input: Fields) {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(textOf(input[name])),
  )
  const url = new URL(filled, base)
  for (const [name, value] of Object.entries(input)) {
    // A cursor may be null.
    const isLeftOut = path.includes(`{${name}}`) || value === undefined || value === null
    if (!isLeftOut) url.searchParams.set(name, textOf(value))
  }
  return url.href
}

type Options = {
  base: string
  call: Call
  input: Fields
  signal: AbortSignal | undefined
  send: Send
  /** Id of the user whom the page believes to be signed in, so that the service refuses any other. */
  user: string | null | undefined
}

type Outcome =
  | { data: unknown; error?: undefined }
  | {
      data?: undefined
      error: { code: string; message: string; retryAfter?: number; cause?: unknown }
    }

/**
 * Sends a call with the session cookie. If the service's database did not answer, retries a read once, after
 * the seconds that the service names. A write may have taken effect, so it is not retried.
 */
export async function sendCall(options: Options) {
  const result = await sendOnce(options)
  const { error } = result
  if (options.call.method !== "GET" || error?.code !== "UNAVAILABLE") return result
  await pause(error.retryAfter ?? 1, options.signal)
  return sendOnce(options)
}

/** Ends early when the signal aborts: the request that follows reports the abort. */
async function pause(seconds: number, signal: AbortSignal | undefined) {
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", end)
      resolve()
    }
    const timer = setTimeout(end, seconds * 1000)
    signal?.addEventListener("abort", end)
    if (signal?.aborted === true) end()
  })
}

async function sendOnce({ base, call, input, signal, send, user }: Options): Promise<Outcome> {
  const { method } = call
  const isPost = method === "POST"
  try {
    const response = await send(urlOf(base, call, isPost ? {} : input), {
      method,
      ...withCookies,
      ...(signal && { signal }),
      ...(isPost && {
        headers: { "content-type": "application/json", ...(user && { "accounts-user": user }) },
        body: JSON.stringify(input),
      }),
    })
    return await readResult(response)
  } catch (cause) {
    const [code, message] =
      signal?.aborted === true
        ? ["ABORTED", "The call was aborted"]
        : ["UNREACHABLE", unreachable()]
    return { error: { code, message, cause } }
  }
}

/** Defined in a page; servers have no location. */
declare const location: { origin: string } | undefined

/** Names both possible causes, because a browser does not tell a page which of them applies. */
function unreachable() {
  const silent = "The service did not answer"
  if (typeof location === "undefined") return silent
  return `${silent}, or does not trust ${location.origin} (accounts:trustedOrigins)`
}

type Refusal = {
  code?: unknown
  message?: unknown
  data?: {
    issues?: Issue[]
    ways?: Proof[]
    reason?: SuspensionReason
    unknownCredential?: UnknownCredential
  } | null
}

async function readResult(response: Response): Promise<Outcome> {
  const { ok, status, headers } = response
  const text = await response.text()
  const json = parse(text)
  const message = `Unexpected answer with status ${status}`
  const unread = { code: "UNEXPECTED_ANSWER", status, message, cause: text.slice(0, 200) }
  if (json === undefined) return { error: unread }
  if (ok) return { data: json }
  const { code, message: sentence, data }: Refusal = Object(json)
  if (typeof code !== "string") return { error: unread }
  const error = {
    code,
    status,
    message: String(sentence),
    ...(status === 400 && { issues: [] }),
    ...data,
    ...((status === 429 || status === 503) && secondsOf(headers.get("retry-after"))),
  }
  return { error }
}

/** Ignores a date, which a proxy may send. */
function secondsOf(header: string | null) {
  return header !== null && /^\d+$/.test(header) ? { retryAfter: Number(header) } : {}
}

/** Returns undefined if the text is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
