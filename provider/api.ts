import { setTimeout as delay } from "node:timers/promises"

import * as z from "zod"

import { isLoopback } from "../loopback.ts"
import { isTrouble } from "./d1-outage.ts"

/**
 * Cloudflare's REST API, as far as this provider needs it.
 *
 * What may be sent again after a failure:
 * - `get` and `query` (a POST that only reads, or that does nothing the second time): up to four
 *   attempts after a lost connection, a time-out, 429 or 5xx.
 * - `post`: only after 429, which Cloudflare answers before it acts. Anything else is thrown with
 *   `lost` telling whether it may have been applied; the caller reads its effect before it goes on.
 */
export type Api = {
  get<T>(path: string, result: z.ZodType<T>): Promise<T>
  query<T>(path: string, body: unknown, result: z.ZodType<T>): Promise<T>
  post<T>(path: string, body: unknown, result: z.ZodType<T>): Promise<T>
}

export class ApiError extends Error {
  override name = "ApiError"
  /** True when no answer came back that says it was refused: the request may have been applied. */
  readonly lost: boolean
  readonly status: number | undefined
  readonly code: number | undefined
  /** Seconds that Cloudflare asks to wait. */
  readonly retryAfter: number | undefined

  constructor(message: string, details: Details, options?: ErrorOptions) {
    super(message, options)
    this.lost = details.lost
    this.status = details.status
    this.code = details.code
    this.retryAfter = details.retryAfter
  }
}

type Details = {
  lost: boolean
  status?: number | undefined
  code?: number | undefined
  retryAfter?: number | undefined
}

/**
 * Cloudflare adds fields to its answers at any time, so unknown keys pass; what is read does not.
 * An answer that has nothing to tell leaves `result` out.
 */
const Envelope = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ code: z.number(), message: z.string() })),
  result: z.unknown().optional(),
})

const attempts = 4
const readTimeout = 20_000
/** D1 stops a query after 30 s by itself; a client that gives up earlier knows less. */
const writeTimeout = 45_000

export type ApiOptions = {
  baseUrl: string
  token: string
  /** Milliseconds before a call that changes something counts as lost. */
  writeTimeout?: number
}

export function createApi(options: ApiOptions): Api {
  const send = <T>(request: Request, result: z.ZodType<T>) => call({ options, request, result })
  return {
    get: (path, result) =>
      repeat(isTransient, () => send({ method: "GET", path, timeout: readTimeout }, result)),
    query: (path, body, result) =>
      repeat(isTransient, () => send({ method: "POST", path, body, timeout: readTimeout }, result)),
    post: (path, body, result) =>
      repeat(isRateLimited, () =>
        send({ method: "POST", path, body, timeout: options.writeTimeout ?? writeTimeout }, result),
      ),
  }
}

type Request = { method: "GET" | "POST"; path: string; body?: unknown; timeout: number }

async function call<T>(input: {
  options: ApiOptions
  request: Request
  result: z.ZodType<T>
}): Promise<T> {
  const { options, request, result } = input
  const what = `${request.method} ${request.path}`
  const answer = await exchange(options, request).catch((error: unknown) => {
    throw new ApiError(`${what}: no answer (${reason(error)})`, { lost: true }, { cause: error })
  })
  const { status } = answer
  const retryAfter = Number(answer.retryAfter ?? Number.NaN) || undefined
  const envelope = Envelope.safeParse(json(answer.text))
  if (!envelope.success) {
    const lost = status < 400 || status >= 500
    throw new ApiError(`${what}: ${status} without a readable answer`, { lost, status, retryAfter })
  }
  const { success, errors } = envelope.data
  if (!success || status >= 400) {
    const texts = errors.map((error) => `${error.message} [code: ${error.code}]`)
    const message = `${what}: ${status} ${texts.join("; ") || "without a reason"}`
    const lost = status >= 500 || errors.some(isTrouble)
    throw new ApiError(message, { lost, status, code: errors[0]?.code, retryAfter })
  }
  const parsed = result.safeParse(envelope.data.result)
  if (parsed.success) return parsed.data
  const problem = z.prettifyError(parsed.error)
  throw new ApiError(`${what}: an answer of another shape: ${problem}`, { lost: true, status })
}

async function exchange(options: ApiOptions, request: Request) {
  const response = await fetch(options.baseUrl + request.path, {
    method: request.method,
    headers: {
      authorization: `Bearer ${options.token}`,
      "content-type": "application/json",
      "user-agent": "accounts-provider",
    },
    // A redirect would carry the token to another host.
    redirect: "error",
    signal: AbortSignal.timeout(request.timeout),
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
  })
  const text = await response.text()
  return { status: response.status, text, retryAfter: response.headers.get("retry-after") }
}

async function repeat<T>(again: (error: ApiError) => boolean, act: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof ApiError) || !again(error) || attempt === attempts) throw error
      const seconds = Math.min(error.retryAfter ?? 0.25 * 2 ** attempt, 30)
      await delay(seconds * 1000)
    }
  }
}

function isRateLimited(error: ApiError): boolean {
  return error.status === 429
}

function isTransient(error: ApiError): boolean {
  return error.lost || isRateLimited(error)
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** fetch says only "fetch failed"; what happened is in its cause. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}

/** A provider's `baseUrl`: the token goes to Cloudflare or stays on this machine. */
export const BaseUrl = z
  .string()
  .refine(
    (text) => text === "https://api.cloudflare.com/client/v4" || isLoopback(text),
    "baseUrl is https://api.cloudflare.com/client/v4, or http:// on 127.0.0.1 or [::1]",
  )
