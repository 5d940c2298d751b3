import { setTimeout as delay } from "node:timers/promises"

import { reasonOf } from "./health.ts"
import { type Override, overrideHeaders } from "./override.ts"
import { describeRefusal } from "./refusal.ts"
import { openConnection, type ServiceResponse } from "./service-request.ts"
import type { ServiceAddress } from "./shared-inputs.ts"

/** A machine without the version answered, or none did: nothing is said about the version. */
export class NotYet extends Error {
  override name = "NotYet"
}

type Request = { body?: unknown; headers?: Record<string, string> }

/** Requests to `/api/auth/…` that only the expected version can answer. */
export type TrialConnection = {
  /** Asks again, on another connection, until the version answers: for requests that change nothing. */
  repeat(step: string, request: Request): Promise<ServiceResponse>
  /** As a browser asks before a page's POST. Finds a connection for the request that follows. */
  preflight(step: string): Promise<ServiceResponse>
  /** @throws NotYet when another version answered: it may have done what was asked */
  once(step: string, request: Request): Promise<ServiceResponse>
  close(): void
}

/** Milliseconds for one request. */
const timeout = 15_000
/** Milliseconds before a request is sent again; doubles up to eight times that. */
const firstPause = 250

export function openTrialConnection(options: {
  address: ServiceAddress
  override?: Override
  expected: string
  origin: string
  deadline: number
  signal: AbortSignal
}): TrialConnection {
  const { address, override, expected, origin, deadline, signal } = options
  const connection = openConnection(address)

  const ask = async (step: string, request: Request & { method?: "OPTIONS" }) => {
    const path = `/api/auth/${step}`
    const headers = { origin, ...overrideHeaders(override), ...request.headers }
    const response = await connection
      .send({ ...request, path, headers, timeout })
      .catch((error: unknown) => {
        throw new NotYet(`${path}: no answer: ${reasonOf(error)}`, { cause: error })
      })
    const { versionId } = response
    if (versionId === expected) return response
    if (versionId === undefined) throw new NotYet(`${path}: ${describeRefusal(response).problem}`)
    throw new NotYet(`${path}: version ${versionId} answered instead of ${expected}`)
  }

  const repeat = async (step: string, request: Request & { method?: "OPTIONS" }) => {
    for (let attempt = 0; ; attempt += 1) {
      signal.throwIfAborted()
      const pause = firstPause * Math.min(2 ** attempt, 8)
      try {
        return await ask(step, request)
      } catch (error) {
        if (!(error instanceof NotYet) || Date.now() + pause >= deadline) throw error
        connection.close()
      }
      await delay(pause, undefined, { signal })
    }
  }

  return {
    repeat,
    preflight: (step) =>
      repeat(step, {
        method: "OPTIONS",
        headers: {
          "access-control-request-method": "POST",
          "access-control-request-headers": "content-type",
        },
      }),
    once: ask,
    close: () => connection.close(),
  }
}
