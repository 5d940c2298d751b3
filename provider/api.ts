import { setTimeout as delay } from "node:timers/promises"

import * as z from "zod"

import { Failure, type FailureFacts, isFailure, messageOf } from "../failure.ts"
import { isLoopback } from "../loopback.ts"
import { cloudflareApi } from "../process-environment.ts"
import { userAgent } from "../user-agent.ts"
import { isOutage } from "./d1-outage.ts"
import { parseJson } from "./parse-json.ts"

/**
 * Cloudflare's REST API, as far as this provider needs it. Every failure is an API_FAILED.
 *
 * - `get`, `delete` and `query` (a POST that only reads, or that changes nothing the second time) are
 *   tried up to four times after a lost connection, a timeout or 5xx.
 * - All are sent again after 429, which Cloudflare answers before it acts, for as long as its limit of
 *   1,200 requests in five minutes can last. `post` is sent again after nothing else: `lost` says
 *   whether the request may have been applied; read its effect first.
 */
export type Api = {
  get<T>(path: string, result: z.ZodType<T>): Promise<T>
  /** The second of two may find nothing any more: 404. */
  delete(path: string): Promise<void>
  query<T>(path: string, body: unknown, result: z.ZodType<T>): Promise<T>
  post<T>(path: string, body: unknown, result: z.ZodType<T>): Promise<T>
}

type ApiFailure = Failure<"API_FAILED"> & { facts: FailureFacts["API_FAILED"] }

/** Cloudflare may add fields at any time, so unknown keys pass. An empty answer has no `result`. */
const Envelope = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ code: z.number(), message: z.string() })),
  result: z.unknown().optional(),
})

const attempts = 4
/** Seconds to wait in all for a rate limit: a window of Cloudflare's, and a little more. */
const limitPatience = 310
const readTimeout = 20_000
/** Longer than the 30 s after which D1 stops a query: a client that gives up earlier learns less. */
const writeTimeout = 45_000

export type ApiOptions = {
  baseUrl: string
  token: string
  /** Milliseconds before a `post` counts as lost. */
  writeTimeout?: number
  /** Told before each wait for a rate limit. */
  onLimit?: (message: string) => void
  /** Waits between two attempts. */
  pause?: (milliseconds: number) => Promise<unknown>
}

export function createApi(options: ApiOptions): Api {
  const send = <T>(request: Request, result: z.ZodType<T>) => call({ options, request, result })
  return {
    get: (path, result) =>
      retry(options, true, () => send({ method: "GET", path, timeout: readTimeout }, result)),
    delete: (path) =>
      retry(options, true, async () => {
        await send({ method: "DELETE", path, timeout: readTimeout }, z.unknown())
      }),
    query: (path, body, result) =>
      retry(options, true, () =>
        send({ method: "POST", path, body, timeout: readTimeout }, result),
      ),
    post: (path, body, result) =>
      retry(options, false, () =>
        send({ method: "POST", path, body, timeout: options.writeTimeout ?? writeTimeout }, result),
      ),
  }
}

type Request = { method: "GET" | "POST" | "DELETE"; path: string; body?: unknown; timeout: number }

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
  const retryAfter = Number(answer.retryAfter ?? Number.NaN) || undefined
  const envelope = Envelope.safeParse(parseJson(answer.text))
  if (!envelope.success) {
    const lost = status < 400 || status >= 500
    const message = `${name}: ${status} without a readable answer`
    throw new Failure("API_FAILED", message, { facts: { lost, status, retryAfter } })
  }
  const { success, errors } = envelope.data
  if (!success || status >= 400) {
    const texts = errors.map((error) => `${error.message} [code: ${error.code}]`)
    const message = `${name}: ${status} ${texts.join("; ") || "without a reason"}`
    const lost = status >= 500 || errors.some(isOutage)
    const [first] = errors
    throw new Failure("API_FAILED", message, {
      facts: { lost, status, code: first?.code, retryAfter },
    })
  }
  const parsed = result.safeParse(envelope.data.result)
  if (parsed.success) return parsed.data
  const message = `${name}: an answer of another shape: ${z.prettifyError(parsed.error)}`
  throw new Failure("API_FAILED", message, { facts: { lost: true, status } })
}

async function exchange(options: ApiOptions, request: Request) {
  const response = await fetch(options.baseUrl + request.path, {
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
  return { status: response.status, text, retryAfter: response.headers.get("retry-after") }
}

/** @param lostToo whether the request may be sent again although it may have been applied */
async function retry<T>(
  { onLimit, pause = delay }: ApiOptions,
  lostToo: boolean,
  act: () => Promise<T>,
): Promise<T> {
  let limited = 0
  for (let failures = 0; ;) {
    try {
      return await act()
    } catch (error) {
      if (!isFailure(error, "API_FAILED")) throw error
      const { status, retryAfter, lost } = error.facts
      const isLimited = status === 429
      if (isLimited && retryAfter !== undefined) {
        limited += retryAfter
        if (limited > limitPatience) throw stillLimited(error, retryAfter)
        onLimit?.(`Cloudflare's rate limit is reached: the next request follows in ${retryAfter} s`)
        await pause(retryAfter * 1000)
        continue
      }
      failures += 1
      if (failures === attempts || !(isLimited || (lost && lostToo))) throw error
      await pause(Math.min(retryAfter ?? 0.25 * 2 ** failures, 30) * 1000)
    }
  }
}

function stillLimited({ message, facts }: ApiFailure, seconds: number): Error {
  const told = `${message}. The rate limit lasts ${seconds} s more: run again then`
  return new Failure("API_FAILED", told, { facts })
}

/** fetch says only "fetch failed"; the reason is in its cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return messageOf(cause)
}

/** The provider's `baseUrl`: the token goes to Cloudflare or stays on this machine. */
export const BaseUrl = z
  .string()
  .refine(
    (text) => text === cloudflareApi || isLoopback(text),
    `baseUrl is ${cloudflareApi}, or http:// on 127.0.0.1 or [::1]`,
  )
