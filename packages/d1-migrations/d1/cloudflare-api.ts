import * as z from "zod"

import { Failure, messageOf } from "../failure.ts"
import { isOutage, type RetryOptions, retry, retryDelaySeconds } from "./retry.ts"

/**
 * Cloudflare's REST API. Every failure is an API_FAILED.
 *
 * - `get`, `put`, `delete` and `query` (an idempotent POST) are tried up to four times after a lost connection, a
 *   timeout or 5xx.
 * - All requests are repeated after 429, because Cloudflare sends it before it acts. This lasts as long as its limit
 *   of 1,200 requests in five minutes can. `post` is repeated after nothing else: `lost` tells whether the request
 *   may have been applied; read its effect first.
 */
export type Api = {
  get<T>(path: string, result: z.ZodType<T>): Promise<T>
  /** A retry fails with 404 if the first attempt was applied. */
  delete(path: string): Promise<void>
  put<T>(path: string, body: unknown, result: z.ZodType<T>): Promise<T>
  query<T>(path: string, body: unknown, result: z.ZodType<T>): Promise<T>
  /** @param timeout milliseconds until the request counts as lost; for requests that take D1 longer than usual */
  post<T>(path: string, body: unknown, result: z.ZodType<T>, timeout?: number): Promise<T>
}

/** Allows unknown keys, because Cloudflare may add fields at any time. An empty response has no `result`. */
const Envelope = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ code: z.number(), message: z.string() })),
  result: z.unknown().optional(),
})

export type ApiOptions = RetryOptions & {
  baseUrl?: string | undefined
  token: string
  userAgent?: string
  /** Milliseconds before a request other than a `post` counts as lost. */
  readTimeout?: number
  /** Milliseconds before a `post` counts as lost. Must exceed the 30 s after which D1 stops a query. */
  writeTimeout?: number
}

/** @throws USAGE for a token that is invalid in a header: the error of `fetch` would contain the token */
export function createApi(options: ApiOptions): Api {
  if (!/^\s*[\x21-\x7e]*\s*$/.test(options.token)) {
    throw new Failure(
      "USAGE",
      "The token for Cloudflare's API has a blank, a line break or another character in it that no token has: set it again.",
    )
  }
  const { readTimeout = 20_000, writeTimeout = 45_000 } = options
  const send = <T>(request: Request, result: z.ZodType<T>) => call({ options, request, result })
  const sendRepeatably = <T>(request: Omit<Request, "timeout">, result: z.ZodType<T>) =>
    retry(options, true, () => send({ ...request, timeout: readTimeout }, result))
  return {
    get: (path, result) => sendRepeatably({ method: "GET", path }, result),
    delete: async (path) => void (await sendRepeatably({ method: "DELETE", path }, z.unknown())),
    put: (path, body, result) => sendRepeatably({ method: "PUT", path, body }, result),
    query: (path, body, result) => sendRepeatably({ method: "POST", path, body }, result),
    post: (path, body, result, timeout = writeTimeout) =>
      retry(options, false, () => send({ method: "POST", path, body, timeout }, result)),
  }
}

type Request = {
  method: "GET" | "PUT" | "POST" | "DELETE"
  path: string
  body?: unknown
  timeout: number
}

async function call<T>(input: {
  options: ApiOptions
  request: Request
  result: z.ZodType<T>
}): Promise<T> {
  const { options, request, result } = input
  const name = `${request.method} ${request.path}`
  const answer = await exchange(options, request).catch((error: unknown) => {
    const message = `${name}: no answer (${reasonOf(error)})`
    throw new Failure("API_FAILED", message, { facts: { lost: true }, cause: error })
  })
  const { status } = answer
  const retryAfter = retryDelaySeconds(answer.headers)
  const envelope = Envelope.safeParse(parseJson(answer.text))
  if (!envelope.success) {
    const lost = status < 400 || status >= 500
    const message = `${name}: ${status} without a readable answer`
    throw new Failure("API_FAILED", message, { facts: { lost, status, retryAfter } })
  }
  const { success, errors } = envelope.data
  if (!success || status >= 400) {
    const texts = errors.map((error) => `${error.message} [code: ${error.code}]`)
    const lack = errors.some(({ code }) => code === 10_000) ? permissionFor(request) : undefined
    const hint = lack === undefined ? "" : `: the token lacks ${lack}, or is of another account`
    const message = `${name}: ${status} ${texts.join("; ") || "without a reason"}${hint}`
    const lost = status >= 500 || errors.some(isOutage)
    const [first] = errors
    throw new Failure("API_FAILED", message, {
      facts: { lost, status, readable: true, code: first?.code, retryAfter },
    })
  }
  const parsed = result.safeParse(envelope.data.result)
  if (parsed.success) return parsed.data
  const message = `${name}: an answer of another shape: ${z.prettifyError(parsed.error)}`
  throw new Failure("API_FAILED", message, { facts: { lost: true, status } })
}

/** Permissions by the beginning of a path, as named on Cloudflare's page of API tokens. */
const permissions: [RegExp, string][] = [
  [/^\/accounts\/[^/]+\/d1\b/, "Account › D1"],
  [/^\/accounts\/[^/]+\/workers\/(?!observability)/, "Account › Workers Scripts"],
  [/^\/zones\/[^/]+\/workers\/routes\b/, "Zone › Workers Routes"],
  [/^\/zones\/[^/]+\/dns_records\b/, "Zone › DNS"],
  [/^\/zones\b/, "Zone › Zone"],
]

/** Returns the permission that a request needs, because Cloudflare's error is only "Authentication error". */
function permissionFor({ method, path }: Request): string | undefined {
  const name = permissions.find(([pattern]) => pattern.test(path))?.[1]
  return name && `${name}: ${method === "GET" ? "Read" : "Edit"}`
}

async function exchange(options: ApiOptions, request: Request) {
  const { baseUrl = "https://api.cloudflare.com/client/v4", userAgent = "d1-migrations" } = options
  const response = await fetch(baseUrl + request.path, {
    method: request.method,
    headers: {
      authorization: `Bearer ${options.token}`,
      "content-type": "application/json",
      "user-agent": userAgent,
    },
    // A redirect would carry the token to another host.
    redirect: "error",
    signal: AbortSignal.timeout(request.timeout),
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
  })
  const text = await response.text()
  return { status: response.status, text, headers: response.headers }
}

/** Returns the reason of an error. The message of `fetch` is only "fetch failed"; its cause has the reason. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return messageOf(cause)
}

/** Returns undefined for a text that is not JSON, such as an HTML error page. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
