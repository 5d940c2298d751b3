import { setTimeout as delay } from "node:timers/promises"

import * as z from "zod"

import { healthUrl, requestHealth } from "./health-request.ts"
import { type Override, overrideOf } from "./override.ts"
import type { Answer, Place } from "./service-request.ts"

export type Limits = {
  /** Milliseconds for everything, waits included. */
  total: number
  /** Milliseconds for one request. */
  request: number
  /** Milliseconds before the second attempt; doubles up to ten times that. */
  pause: number
}

type Asked = {
  place: Place
  /** Sends the request to this version, whatever its share of the traffic. */
  override?: Override
  /** The version that has to answer; any when absent. */
  expected?: string
}

export type Question = Asked & {
  limits: Limits
  signal: AbortSignal
  /** Told what stands in the way, whenever that changes. */
  onWait?: (problem: string) => void
}

const Health = z.object({ status: z.literal("ok"), version: z.object({ id: z.string() }) })

/** Waits until `/api/health` is well and comes from the expected version; returns that version. */
export async function awaitHealth(question: Question): Promise<string> {
  const { limits, signal, onWait } = question
  const deadline = Date.now() + limits.total
  let told = ""
  for (let attempt = 0; ; attempt += 1) {
    signal.throwIfAborted()
    const seen = await look(question, Math.min(limits.request, deadline - Date.now()))
    if ("versionId" in seen) return seen.versionId
    const pause = limits.pause * Math.min(2 ** attempt, 10)
    if (Date.now() + pause >= deadline) {
      const tried = `${attempt + 1} attempt${attempt === 0 ? "" : "s"}`
      const message = `${healthUrl(question.place)}: ${seen.problem} (after ${tried})`
      throw new Error(message)
    }
    if (seen.problem !== told) onWait?.(seen.problem)
    told = seen.problem
    await delay(pause, undefined, { signal })
  }
}

/** `reached`: the answer came from the service, if not a good one. */
export type Sighting = { versionId: string } | { problem: string; reached: boolean }

/** Asks once. `timeout` in milliseconds. */
export async function look(
  { place, override, expected }: Asked,
  timeout: number,
): Promise<Sighting> {
  const headers = overrideOf(override)
  try {
    return judge(await requestHealth({ place, headers, timeout }), expected)
  } catch (error) {
    const reason = error instanceof Error ? error.message || error.name : String(error)
    return { problem: `no answer: ${reason}`, reached: false }
  }
}

/** An answer from another version is no answer to the question, however well it is. */
function judge({ status, versionId, text }: Answer, expected: string | undefined): Sighting {
  if (versionId === undefined) {
    return { problem: `${status} without the header accounts-version`, reached: false }
  }
  if (expected !== undefined && versionId !== expected) {
    return { problem: `version ${versionId} answered instead of ${expected}`, reached: true }
  }
  const health = Health.safeParse(json(text))
  if (status !== 200 || !health.success) {
    const said = text.slice(0, 200).replaceAll(/\s+/g, " ")
    return { problem: `version ${versionId} answered ${status}: ${said}`, reached: true }
  }
  if (health.data.version.id !== versionId) {
    const { id } = health.data.version
    return { problem: `version ${versionId} calls itself ${id}`, reached: true }
  }
  return { versionId }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
