import { setTimeout as delay } from "node:timers/promises"

import * as z from "zod"

import { messageOf } from "../../failure.ts"
import { type Override, overrideHeaders } from "./override.ts"
import { requestService, type ServiceResponse } from "./service-request.ts"
import type { ServiceAddress } from "./shared-inputs.ts"

export type Limits = {
  /** Milliseconds for everything, pauses included. */
  total: number
  /** Milliseconds for one request. */
  request: number
  /** Milliseconds before the second attempt; doubles up to ten times that. */
  pause: number
}

type HealthRequest = {
  address: ServiceAddress
  /** Sends the request to this version, whatever its share of the traffic. */
  override?: Override
  /** The version that has to answer; any version when absent. */
  expected?: string
}

export type HealthCheck = HealthRequest & {
  limits: Limits
  signal: AbortSignal
  /** Called whenever the reason to wait changes. */
  onWait?: (problem: string) => void
}

const path = "/api/health"

const Health = z.object({ status: z.literal("ok"), version: z.object({ id: z.string() }) })

/** Polls `/api/health` until the expected version is healthy; returns the id of that version. */
export async function awaitHealth(check: HealthCheck): Promise<string> {
  const { address, limits, signal, onWait } = check
  const deadline = Date.now() + limits.total
  let reported = ""
  for (let attempt = 0; ; attempt += 1) {
    signal.throwIfAborted()
    const result = await checkHealthOnce(check, Math.min(limits.request, deadline - Date.now()))
    if ("versionId" in result) return result.versionId
    const pause = limits.pause * Math.min(2 ** attempt, 10)
    if (Date.now() + pause >= deadline) {
      const tried = `${attempt + 1} attempt${attempt === 0 ? "" : "s"}`
      throw new Error(`${new URL(path, address.url).href}: ${result.problem} (after ${tried})`)
    }
    if (result.problem !== reported) onWait?.(result.problem)
    reported = result.problem
    await delay(pause, undefined, { signal })
  }
}

/** `reached`: the service answered, even if it is not healthy. */
export type HealthResult = { versionId: string } | { problem: string; reached: boolean }

/** @param timeout in milliseconds */
export async function checkHealthOnce(
  { address, override, expected }: HealthRequest,
  timeout: number,
): Promise<HealthResult> {
  const headers = overrideHeaders(override)
  try {
    return judge(await requestService({ address, path, headers, timeout }), expected)
  } catch (error) {
    // Node leaves the message of an AggregateError empty.
    const reason = error instanceof Error ? error.message || error.name : messageOf(error)
    return { problem: `no answer: ${reason}`, reached: false }
  }
}

/** Only the expected version counts: another one may be healthy while this one is not. */
function judge(response: ServiceResponse, expected: string | undefined): HealthResult {
  const { status, versionId, text } = response
  if (versionId === undefined) {
    return { problem: `${status} without the header accounts-version`, reached: false }
  }
  if (expected !== undefined && versionId !== expected) {
    return { problem: `version ${versionId} answered instead of ${expected}`, reached: true }
  }
  const health = Health.safeParse(parseJson(text))
  if (status !== 200 || !health.success) {
    const excerpt = text.slice(0, 200).replaceAll(/\s+/g, " ")
    return { problem: `version ${versionId} answered ${status}: ${excerpt}`, reached: true }
  }
  if (health.data.version.id !== versionId) {
    const { id } = health.data.version
    return { problem: `version ${versionId} calls itself ${id}`, reached: true }
  }
  return { versionId }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
