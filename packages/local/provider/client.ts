import { setTimeout as sleep } from "node:timers/promises"

import * as z from "zod"

import type { JsonObject } from "./api-json.ts"

export type Request = {
  method: "get" | "post" | "put" | "delete"
  path: string
  body?: unknown
}

/** Sends a request and returns the `result` of Cloudflare's response. */
export type Client = (request: Request) => Promise<unknown>

type Options = {
  baseUrl: string
  token: string
  signal: AbortSignal
  /** Waits between two attempts. */
  pause?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>
}

/**
 * Creates a client of the Cloudflare API at `baseUrl`, which includes `/client/v4`. Like the official provider's, it
 * retries every method and has no time limit. If the response to a creation is lost, the retry fails because the
 * resource exists (cloudflare-go 7.7.0, internal/requestconfig/requestconfig.go:255, shouldRetry;
 * terraform-provider-cloudflare 5.22.0 sets no other number of retries in internal/provider.go:393-450).
 *
 * It does not use Cloudflare's SDK, which loads 1,166 modules to send a request.
 */
export function createClient(options: Options): Client {
  const { signal, pause = (ms) => sleep(ms, undefined, { signal }) } = options
  return async (request) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await send(options, request)
      } catch (error) {
        if (signal.aborted || attempt === attempts || !isPassing(error)) throw error
        const backoff = Math.min(2 ** attempt, longestPause) / haste
        await pause((error.retryAfter ?? backoff) * 1000, signal)
      }
    }
  }
}

/** requestconfig.go:172, `MaxRetries: 10`. */
const attempts = 11
/** In seconds: requestconfig.go:383, retryDelay, without its jitter. */
const longestPause = 30
/** Divides the pauses, because a local API needs no three and a half minutes to recover. */
const haste = 50

type Facts = {
  status?: number
  errors?: z.infer<typeof Refusal>["errors"]
  /** In seconds. */
  retryAfter?: number | undefined
}

/** Thrown if a request gets no response, or an error response. */
class CallError extends Error {
  readonly status: number | undefined
  readonly errors: NonNullable<Facts["errors"]>
  readonly retryAfter: number | undefined

  constructor(message: string, { status, errors = [], retryAfter }: Facts, cause?: unknown) {
    super(message, { cause })
    this.status = status
    this.errors = errors
    this.retryAfter = retryAfter
  }
}

function isPassing(error: unknown): error is CallError {
  if (!(error instanceof CallError)) return false
  const { status } = error
  return status === undefined || [408, 409, 429].includes(status) || status >= 500
}

async function send(options: Options, { method, path, body }: Request): Promise<unknown> {
  const url = `${options.baseUrl.replace(/\/+$/, "")}${path}`
  const init: RequestInit = {
    method: method.toUpperCase(),
    headers: {
      authorization: `Bearer ${options.token}`,
      "user-agent": "stand-in-for-the-cloudflare-provider",
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    // A redirect would carry the token to another host.
    redirect: "error",
    signal: options.signal,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }
  const { ok, status, headers, text } = await exchange(url, init)
  if (ok && text === "") return undefined
  const answer = parseJson(text)
  const envelope = Envelope.safeParse(answer)
  if (ok && envelope.success) return envelope.data.result
  const errors = Refusal.safeParse(answer).data?.errors ?? []
  const retryAfter = Number(headers.get("retry-after")) || undefined
  throw new CallError(text.slice(0, 200), { status, errors, retryAfter })
}

async function exchange(url: string, init: RequestInit) {
  try {
    const response = await fetch(url, init)
    const { ok, status, headers } = response
    return { ok, status, headers, text: await response.text() }
  } catch (error) {
    throw new CallError("Connection error.", {}, error)
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const Refusal = z.looseObject({
  errors: z.array(z.looseObject({ code: z.number().optional(), message: z.string().optional() })),
})

// Loose, because Cloudflare adds fields at any time. A response without content has no `result`.
const Envelope = z.object({ result: z.unknown().optional() })

const Result: z.ZodType<JsonObject> = z.record(z.string(), z.json())

export function parseObject(result: unknown): JsonObject {
  return Result.parse(result)
}

export function isNotFound(error: unknown): boolean {
  return error instanceof CallError && error.status === 404
}

/** Returns the failed request and Cloudflare's error messages on one line. */
export function describeFailure(error: unknown, { method, path }: Request): string {
  const call = `${method.toUpperCase()} ${path}`
  if (!(error instanceof CallError)) return `${call}: ${String(error)}`
  if (error.status === undefined) {
    const cause = error.cause instanceof Error ? ` (${error.cause.message})` : ""
    return `${call}: ${error.message}${cause}`
  }
  const messages = error.errors.map(({ code, message }) => `${message} [code: ${code}]`)
  return `${call}: ${error.status} ${messages.join("; ") || error.message}`
}
