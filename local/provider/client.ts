import { flushCompileCache } from "node:module"
import { setTimeout as sleep } from "node:timers/promises"

import type Cloudflare from "cloudflare"
import { APIError } from "cloudflare/error"
import * as z from "zod"

import type { JsonObject } from "./api-json.ts"

export type Request = {
  method: "get" | "post" | "put" | "delete"
  path: string
  query?: Record<string, string>
  body?: unknown
}

/** Sends a request and returns the `result` of Cloudflare's answer. */
export type Client = (request: Request) => Promise<unknown>

type Options = { baseUrl: string; token: string; signal: AbortSignal }

/**
 * A client of the Cloudflare API at `baseUrl`, which includes `/client/v4`. It retries what is safe
 * to retry: a POST only after 429, because one whose response was lost may have succeeded.
 */
export function createClient(options: Options): Client {
  let opened: Promise<Cloudflare> | undefined
  return async ({ method, path, query, body }) => {
    const client = await (opened ??= open(options))
    const send = () =>
      client.request({
        method,
        path,
        signal: options.signal,
        ...(query && { query }),
        ...(body !== undefined && { body }),
        ...(method === "post" && { maxRetries: 0 }),
      })
    const answer = await (method === "post" ? retryRateLimited(send, options.signal) : send())
    return Envelope.parse(answer).result
  }
}

const attempts = 4

async function retryRateLimited<T>(send: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send()
    } catch (error) {
      const rateLimited = error instanceof APIError && error.status === 429
      if (!rateLimited || attempt === attempts) throw error
      const seconds = Number(error.headers?.get("retry-after")) || 2 ** attempt
      if (seconds > maxRetryAfter) throw error
      await sleep(seconds * 1000, undefined, { signal })
    }
  }
}

/** Seconds. */
const maxRetryAfter = 60

/** Loads the SDK late: it takes half a second, and an update without changes never needs it. */
async function open({ baseUrl, token }: Options): Promise<Cloudflare> {
  const { default: Cloudflare } = await import("cloudflare")
  // The engine may kill this process, which then keeps nothing of what it has compiled.
  flushCompileCache()
  return new Cloudflare({
    apiToken: token,
    baseURL: baseUrl.replace(/\/+$/, ""),
    logLevel: "off",
  })
}

// Loose, because Cloudflare adds fields at any time. A response without content has no `result`.
const Envelope = z.object({ result: z.unknown().optional() })

const Result: z.ZodType<JsonObject> = z.record(z.string(), z.json())

export function parseObject(result: unknown): JsonObject {
  return Result.parse(result)
}

export function isNotFound(error: unknown): boolean {
  return error instanceof APIError && error.status === 404
}

/** The failed request and Cloudflare's own error messages, on one line. */
export function describeFailure(error: unknown, { method, path }: Request): string {
  const call = `${method.toUpperCase()} ${path}`
  if (!(error instanceof APIError)) return `${call}: ${String(error)}`
  if (error.status === undefined) {
    const cause = error.cause instanceof Error ? ` (${error.cause.message})` : ""
    return `${call}: ${error.message}${cause}`
  }
  const messages = error.errors.map(({ code, message }) => `${message} [code: ${code}]`)
  return `${call}: ${error.status} ${messages.join("; ") || error.message}`
}

/** Whether Cloudflare rejected the request because the object exists already. */
export function isConflict(error: unknown): boolean {
  if (!(error instanceof APIError)) return false
  return error.errors.some(({ message }) =>
    /already (exists|in use|has)|duplicate/i.test(message ?? ""),
  )
}
