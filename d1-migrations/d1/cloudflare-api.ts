import { setTimeout as delay } from "node:timers/promises"

import * as z from "zod"

import { Failure, isFailure, messageOf } from "../failure.ts"
import type { Api } from "./cloudflare.ts"
import { isOutage } from "./outage.ts"

type Account = { token: string; baseUrl?: string | undefined }

const Envelope = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ code: z.number(), message: z.string() })),
  result: z.unknown().optional(),
})

/** Milliseconds; D1 stops a query after 30 s, and a client that gives up earlier learns less. */
const timeout = 45_000

/** Milliseconds before each further attempt at a request that only reads. */
const pauses = [500, 2000, 5000]

export function createApi({
  token,
  baseUrl = "https://api.cloudflare.com/client/v4",
}: Account): Api {
  const send = async <T>(path: string, result: z.ZodType<T>, body?: unknown): Promise<T> => {
    const method = body === undefined ? "GET" : "POST"
    const response = await fetch(baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      // A redirect would carry the token to another host.
      redirect: "error",
      signal: AbortSignal.timeout(timeout),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      const message = `${method} ${path}: no answer (${messageOf(error)})`
      throw new Failure("API_FAILED", message, { facts: { lost: true }, cause: error })
    })
    const { status } = response
    const envelope = Envelope.safeParse(await response.json().catch(() => undefined)).data
    const { success = false, errors = [] } = envelope ?? {}
    if (success && response.ok) return result.parse(envelope?.result)
    const reason = errors.map(({ code, message }) => `${message} [code: ${code}]`).join("; ")
    throw new Failure(
      "API_FAILED",
      `${method} ${path}: ${status} ${reason || "without a reason"}`,
      {
        facts: {
          lost: status >= 500 || status < 400 || errors.some(isOutage),
          status,
          code: errors[0]?.code,
        },
      },
    )
  }
  return {
    get: (path, result) => again(() => send(path, result)),
    query: (path, body, result) => again(() => send(path, result, body)),
    post: (path, body, result) => send(path, result, body),
  }
}

async function again<Value>(act: () => Promise<Value>): Promise<Value> {
  for (const pause of pauses) {
    try {
      return await act()
    } catch (error) {
      const isPassing =
        isFailure(error, "API_FAILED") && (error.facts.lost || error.facts.status === 429)
      if (!isPassing) throw error
      await delay(pause)
    }
  }
  return act()
}
